import { describe, expect, it } from 'vitest';
import type { KindRef } from '../../../clients/kubernetes/kinds.ts';
import type { SnapshotOptions } from '../../../clients/kubernetes/kubernetes-list.ts';
import { KubernetesError, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { kindsThere, listBindings } from './target-group-bindings.ts';

const ELB = 'elbv2.k8s.aws/v1beta1';
const EKS = 'eks.amazonaws.com/v1';
const refusing = (status: number, reason: string): KubernetesError =>
  new KubernetesError({ status, reason, message: `${reason}.` });
const binding = { metadata: { name: 'web', namespace: 'shop' }, spec: { targetGroupARN: 'arn:web' } };

interface Answers {
  /** What is listed of a kind by its version; what is not told of is not there. */
  readonly lists: Readonly<Record<string, readonly object[] | Error>>;
  /** Whether a kind is served, when that is asked. */
  readonly serves?: boolean | Error;
}

const list = ({ lists, serves }: Answers) => {
  const client: Pick<KubernetesClient, 'list' | 'serves'> = {
    list: <T>({ apiVersion }: KindRef, { most }: SnapshotOptions<T> = {}) => {
      expect(most).toBe(5_000);
      const answer = lists[apiVersion] ?? refusing(404, 'NotFound');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve([...answer] as T[]);
    },
    serves: () => (typeof serves === 'boolean' ? Promise.resolve(serves) : Promise.reject(serves!)),
  };
  return listBindings(client, 'shop');
};
const found = (api: string) => [
  { api, namespace: 'shop', name: 'web', labels: {}, arn: 'arn:web', isDeleting: false },
];

describe('the TargetGroupBindings of a cluster', () => {
  it('are asked for with what is looked at, and no more', async () => {
    const trimmed: unknown[] = [];
    const client: Pick<KubernetesClient, 'list' | 'serves'> = {
      list: <T>(_: KindRef, { trim = (one: T) => one }: SnapshotOptions<T> = {}) => {
        trimmed.push(trim({ ...binding, status: { long: 'x' }, more: 'x' } as T));
        return Promise.resolve([]);
      },
      serves: () => Promise.resolve(true),
    };
    await listBindings(client);
    const { name, namespace } = binding.metadata;
    const want = { metadata: { name, namespace, labels: {} }, spec: binding.spec, status: {} };
    expect(trimmed).toEqual([want, want]);
  });

  const forbidden = refusing(403, 'Forbidden');
  it.each<[string, Answers, readonly unknown[]]>([
    [
      'are of both kinds',
      { lists: { [ELB]: [binding], [EKS]: [binding] } },
      [found('elbv2.k8s.aws'), found('eks.amazonaws.com')],
    ],
    ['are of one', { lists: { [ELB]: [binding] } }, [found('elbv2.k8s.aws'), undefined]],
    ['are of the other', { lists: { [EKS]: [binding] } }, [undefined, found('eks.amazonaws.com')]],
    ['are none', { lists: {} }, [undefined, undefined]],
    [
      'are of one where Okra may list no other, and there is none',
      { lists: { [ELB]: [binding], [EKS]: forbidden }, serves: false },
      [found('elbv2.k8s.aws'), undefined],
    ],
  ])('%s', async (_, answers, want) => expect(await list(answers)).toEqual(want));

  it.each<[string, Answers, Error]>([
    ['that Okra may not list', { lists: { [ELB]: [], [EKS]: forbidden }, serves: true }, forbidden],
    [
      'that Okra may not list, of which nobody says that it is not there',
      { lists: { [ELB]: [], [EKS]: forbidden }, serves: refusing(403, 'Forbidden') },
      forbidden,
    ],
    [
      'that is not answered',
      { lists: { [ELB]: [], [EKS]: refusing(503, 'ServiceUnavailable') } },
      refusing(503, 'ServiceUnavailable'),
    ],
  ])('are not known for a kind %s', async (_, answers, error) => {
    await expect(list(answers)).rejects.toEqual(error);
  });
});

describe('the kinds that a cluster has', () => {
  const away = refusing(503, 'ServiceUnavailable');
  const forbidden = refusing(403, 'Forbidden');
  const definition = (metadata: object): object => ({ metadata });
  const made = '2026-11-23T10:00:00Z';

  interface Kinds {
    /** The definitions by their names; one that is not told of is not there. */
    readonly definitions: Readonly<Record<string, object | Error>>;
    /** Whether a kind is served, by its version. */
    readonly serves?: Readonly<Record<string, boolean | Error>>;
  }
  const there = ({ definitions, serves = {} }: Kinds) => {
    const client: Pick<KubernetesClient, 'get' | 'serves'> = {
      get: <T>({ kind }: KindRef, { name }: { readonly name: string }) => {
        expect(kind).toBe('CustomResourceDefinition');
        const answer = definitions[name];
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as T | undefined);
      },
      serves: ({ apiVersion }) => {
        const answer = serves[apiVersion] ?? away;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    };
    return kindsThere(client);
  };
  const [ELB_NAME, EKS_NAME] = ['targetgroupbindings.elbv2.k8s.aws', 'targetgroupbindings.eks.amazonaws.com'];
  const mayNotSee = { [ELB_NAME]: forbidden, [EKS_NAME]: forbidden };

  it.each<[string, Kinds, unknown]>([
    [
      'are those with a definition, since that was made',
      { definitions: { [ELB_NAME]: definition({ creationTimestamp: made }) } },
      { absent: ['eks.amazonaws.com'], since: { 'elbv2.k8s.aws': made } },
    ],
    [
      'are not those whose definition is being deleted',
      {
        definitions: {
          [ELB_NAME]: definition({ creationTimestamp: made, deletionTimestamp: made }),
          [EKS_NAME]: definition({ creationTimestamp: 7 }),
        },
      },
      { absent: ['elbv2.k8s.aws'], since: { 'elbv2.k8s.aws': made } },
    ],
    [
      'are those that it serves, where Okra may see no definitions',
      { definitions: mayNotSee, serves: { [ELB]: true, [EKS]: false } },
      { absent: ['eks.amazonaws.com'], since: {} },
    ],
    [
      'are taken to be all where Okra may not ask',
      { definitions: mayNotSee, serves: { [ELB]: forbidden, [EKS]: false } },
      { absent: ['eks.amazonaws.com'], since: {} },
    ],
  ])('%s', async (_, kinds, want) => expect(await there(kinds)).toEqual(want));

  it.each<[string, Kinds]>([
    ['does not say its definitions', { definitions: { [ELB_NAME]: away } }],
    ['does not say what it serves', { definitions: mayNotSee, serves: { [ELB]: true } }],
  ])('are not known where it %s', async (_, kinds) => {
    await expect(there(kinds)).rejects.toEqual(away);
  });
});
