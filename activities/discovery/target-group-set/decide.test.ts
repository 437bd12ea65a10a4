import { describe, expect, it } from 'vitest';
import type { AskedKinds } from '../../../domain/discovery/target-group-set/doubtful-clusters.ts';
import type {
  ClusterReading,
  ExistingGroup,
  ObservedTargetGroupSet,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import type { RemoteBinding } from '../../../domain/discovery/target-group-set/target-group-of-binding.ts';
import { decideTargetGroupSet } from '../../../domain/discovery/target-group-set/target-group-set.ts';
import { arnOf } from '../../../domain/testing/builders.ts';
import { decide } from './decide.ts';

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
  grace: { before: [], now: 0, seconds: 0 },
});
const owner = { uid: 'mine', kind: 'AWSTargetGroupSet', name: 'web' };
/** The groups that a set has made when clusters were read so. */
const groupsOf = (...readings: ClusterReading[]): readonly ExistingGroup[] =>
  decideTargetGroupSet(observed(readings, [])).groups.create.map((one) => ({
    ...one,
    uid: `uid-${one.name}`,
    owner,
  }));

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
  };
}

const both = groupsOf(read('c1', bound('one'), bound('two')));
const there: AskedKinds = { ok: true, absent: [] };

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
      const got = await after([read('c1', ...listed)], both, { ok: true, absent: ['elbv2.k8s.aws'] });
      expect(got).toEqual({ asked: ['c1'], delete: [], problems: ['KindNotInstalled'] });
    },
  );

  it('stays when nobody says whether the kind is still there', async () => {
    const got = await after([read('c1')], both, { ok: false, reason: 'Unreachable', message: 'No.' });
    expect(got).toEqual({ asked: ['c1'], delete: [], problems: ['Unreachable'] });
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
