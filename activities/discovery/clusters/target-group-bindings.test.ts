import { describe, expect, it } from 'vitest';
import type { KindRef } from '../../../clients/kubernetes/kinds.ts';
import type { SnapshotOptions } from '../../../clients/kubernetes/kubernetes-list.ts';
import { KubernetesError, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { listBindings } from './target-group-bindings.ts';

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
  return listBindings(client, ['shop']);
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
