import { describe, expect, it } from 'vitest';
import type { AskedKinds } from '../../../domain/discovery/target-group-set/doubtful-clusters.ts';
import type {
  ClusterReading,
  ExistingGroup,
  ObservedTargetGroupSet,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import type { RemoteBinding } from '../../../domain/discovery/target-group-set/target-group-of-binding.ts';
import { decideTargetGroupSet } from '../../../domain/discovery/target-group-set/target-group-set.ts';
import { given } from '../../../domain/model/given.ts';
import { arnOf } from '../../../domain/testing/builders.ts';
import { decide } from './target-group-set.ts';

const bound = (name: string): RemoteBinding => ({
  api: 'elbv2.k8s.aws',
  namespace: 'default',
  name,
  labels: {},
  arn: arnOf(name),
  isDeleting: false,
});
const labels = { service: 'demo' };
const read = (secret: string, ...bindings: RemoteBinding[]): ClusterReading => ({
  cluster: { secret, name: secret, labels },
  found: { ok: true, bindings },
});
const down: ClusterReading = {
  cluster: { secret: 'c2', name: 'c2', labels },
  found: { ok: false, reason: 'Unreachable', message: 'No.' },
};
const observed = (readings: ClusterReading[], groups: readonly ExistingGroup[]): ObservedTargetGroupSet => ({
  uid: 'mine',
  name: 'web',
  spec: { generators: [{ awseks: { clusterSelector: { matchLabels: labels } } }] },
  readings,
  groups,
  bindings: [],
  grace: { before: [], now: NOW, seconds: 180 },
});
const owner = { uid: 'mine', kind: 'AWSTargetGroupSet', name: 'web' };
/** The groups that a set has made when clusters were read so. */
const groupsOf = (...readings: ClusterReading[]): readonly ExistingGroup[] =>
  decideTargetGroupSet(observed(readings, [])).groups.create.map((one) => ({
    ...one,
    uid: `uid-${one.name}`,
    owner,
  }));

const ELB = 'elbv2.k8s.aws';
const NOW = Date.parse('2026-11-23T10:00:00Z');
/** The kind, with a definition that was made so many seconds ago. */
const madeAgo = (seconds: number): AskedKinds => ({
  ok: true,
  absent: [],
  since: { 'elbv2.k8s.aws': new Date(NOW - seconds * 1000).toISOString() },
});

/** What a set deletes and reports, and which clusters it asks meanwhile. */
async function after(readings: ClusterReading[], groups: readonly ExistingGroup[], answer: AskedKinds) {
  const asked: string[] = [];
  const decision = await decide(observed(readings, groups), (secret) => {
    asked.push(secret);
    return Promise.resolve(answer);
  });
  return {
    asked,
    delete: decision.groups.delete.map(({ name }) => name),
    problems: decision.problems.map(({ reason }) => reason),
    ...given({ againInSeconds: decision.againInSeconds }),
  };
}

const both = groupsOf(read('c1', bound('one'), bound('two')));
const there: AskedKinds = { ok: true, absent: [], since: {} };

describe('a group whose TargetGroupBinding is not listed', () => {
  it('goes when its cluster still has the kind', async () => {
    const got = await after([read('c1', bound('two'))], both, there);
    expect(got).toEqual({ asked: ['c1'], delete: ['default-one'], problems: [] });
  });

  it.each([
    ['some of its', [bound('two')]],
    ['none of its', []],
  ])(
    'stays when the definition of the kind is being deleted, and %s objects are listed',
    async (_, listed) => {
      const got = await after([read('c1', ...listed)], both, {
        ok: true,
        absent: ['elbv2.k8s.aws'],
        since: {},
      });
      expect(got).toEqual({ asked: ['c1'], delete: [], problems: ['KindNotInstalled'] });
    },
  );

  it.each([
    ['a moment ago', 0, 180],
    ['less than the grace ago', 170, 10],
    ['by a clock that is ahead a little', -20, 200],
  ])('stays for now when the definition of the kind was made again %s', async (_, ago, againInSeconds) => {
    const got = await after([read('c1', bound('two'))], both, madeAgo(ago));
    expect(got).toEqual({ asked: ['c1'], delete: [], problems: ['KindReinstalled'], againInSeconds });
  });

  it.each([
    ['as long ago as the grace', 180],
    ['at no time that can be', -3600],
  ])('goes when the definition of the kind was made %s', async (_, ago) => {
    const got = await after([read('c1', bound('two'))], both, madeAgo(ago));
    expect(got).toEqual({ asked: ['c1'], delete: ['default-one'], problems: [] });
  });

  it('says since when its kind is there again, and until when it stays', async () => {
    const decision = await decide(observed([read('c1', bound('two'))], both), () =>
      Promise.resolve(madeAgo(60)),
    );
    expect(decision.problems).toEqual([
      {
        cluster: 'c1',
        reason: 'KindReinstalled',
        message:
          'Expected cluster c1 to have the objects of the kind TargetGroupBinding of the AWS Load Balancer Controller (elbv2.k8s.aws/v1beta1) that it had, got fewer, and a definition of the kind that was made at 2026-11-23T09:59:00.000Z. What the cluster had of it stays until 2026-11-23T10:02:00.000Z; bring the objects back, or delete the AWSTargetGroups if they are to go now.',
      },
    ]);
  });

  it('stays when nobody says whether the kind is still there', async () => {
    const got = await after([read('c1')], both, { ok: false, reason: 'Unreachable', message: 'No.' });
    expect(got).toEqual({ asked: ['c1'], delete: [], problems: ['Unreachable'] });
  });

  it.each([
    ['claims it no more when its cluster still has the kind', there, ['default-one']],
    ['claims it for now when the definition of the kind is being deleted', { ...there, absent: [ELB] }, []],
    ['claims it for now when the definition of the kind was made again a moment ago', madeAgo(0), []],
  ] as const)('is left by a set that waits for it to who has it: %s', async (_, answer, release) => {
    const other = { uid: 'other', kind: 'AWSTargetGroupSet', name: 'former' };
    const theirs = both.map((group) => ({ ...group, owner: other, heirs: ['mine'] }));
    const decision = await decide(observed([read('c1', bound('two'))], theirs), () =>
      Promise.resolve(answer),
    );
    expect(decision.handover.groups).toEqual({ claim: [], release });
  });

  it('has no cluster asked of which nothing goes', async () => {
    const groups = [...both, ...groupsOf(read('c2', bound('three')))];
    expect(await after([read('c1', bound('one'), bound('two')), down], groups, there)).toEqual({
      asked: [],
      delete: [],
      problems: ['Unreachable'],
    });
    expect((await after([], both, there)).asked).toEqual([]);
  });
});
