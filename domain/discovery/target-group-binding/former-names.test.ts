import { describe, expect, it } from 'vitest';
import type { BindingTarget } from '../../../crds/binding-targets.ts';
import type { Grace } from '../missing.ts';
import { missedByBinding } from '../target-group-set/lost-clusters.ts';
import type { SeenCluster } from './binding-ids.ts';
import { withFormerNames, type RegisteredTarget } from './registered-target.ts';
import { decideBinding } from './target-group-binding.ts';

const idOf = (account: number): string => `arn:aws:eks:eu-central-1:${account}:cluster/web`;
const labels = { role: 'web' };
/** A cluster with nodes of these names; undefined: one that cannot be read. */
const seen = (id: string | undefined, nodes: readonly string[] | undefined, name = 'web'): SeenCluster => ({
  name,
  id,
  labels,
  seen:
    nodes === undefined
      ? { ok: false, reason: 'Unreachable', message: 'No.' }
      : {
          ok: true,
          pods: [],
          nodes: nodes.map((node) => ({
            name: node,
            labels,
            providerID: `aws:///eu-central-1a/i-${node}`,
            isReady: true,
            isDeleting: false,
          })),
        },
});
const selected: BindingTarget = {
  name: 'nodes',
  clusterSelector: { matchLabels: labels },
  nodeSelector: labels,
  port: 80,
};
const { clusterSelector: _, ...others } = selected;
const named: BindingTarget = { ...others, clusterName: 'web' };
const now = Date.parse('2026-11-22T12:00:00.000Z');
const missing = `web (${idOf(1)})`;
const within: Grace = { before: [{ name: missing, since: '2026-11-22T11:59:00.000Z' }], now, seconds: 180 };
const after: Grace = { before: [{ name: missing, since: '2026-11-22T11:57:00.000Z' }], now, seconds: 180 };

/** What an object does about its targets, by what it has registered and what is there. */
function decide(
  before: readonly RegisteredTarget[],
  cluster: SeenCluster,
  grace = within,
  target = selected,
) {
  const ours = withFormerNames(before, [cluster]);
  const missed = missedByBinding(ours, { targets: [target], secrets: [cluster.name] }, grace);
  const decision = decideBinding({
    namespace: 'default',
    targets: [target],
    targetType: 'instance',
    clusters: [cluster],
    registered: before.flatMap(({ ids = [], port }) => ids.map((id) => ({ id, port }))),
    ours,
    missing: missed.missing.map(({ name }) => name),
  });
  return {
    register: decision.register.flat().map(({ id }) => id),
    deregister: decision.deregister.flat().map(({ id }) => id),
    problems: [...missed.problems, ...decision.problems].map(({ reason }) => reason),
    targets: decision.targets,
  };
}
const first = seen(idOf(1), ['a']);
const { targets: ofFirst } = decide([], first);

describe('what was registered of a cluster', () => {
  it('is said to be of the one that its secret names', () => {
    expect(ofFirst[0]?.byCluster).toEqual([{ cluster: 'web', id: idOf(1), ids: ['i-a'] }]);
  });

  it.each([
    ['labels', selected],
    ['name', named],
  ])('stays for a while when another has got its name, where clusters are found by %s', (_how, target) => {
    const second = seen(idOf(2), ['b']);
    const got = decide(ofFirst, second, within, target);
    expect(got).toMatchObject({ register: ['i-b'], deregister: [], problems: ['ClusterMissing'] });
    expect(decide(got.targets, second, within, target)).toMatchObject({ deregister: [] });
    expect(decide(got.targets, second, after, target)).toMatchObject({
      register: [],
      deregister: ['i-a'],
      problems: [],
    });
    expect(decide(got.targets, first, within, target)).toMatchObject({ register: [], deregister: [] });
  });

  it('goes after that while also when the other cannot be read, and is never of that', () => {
    const unread = seen(idOf(2), undefined);
    const got = decide(ofFirst, unread);
    expect(got).toMatchObject({ deregister: [], problems: ['ClusterMissing', 'Unreachable'] });
    expect(decide(got.targets, unread, after)).toMatchObject({ deregister: ['i-a'] });
    expect(
      got.targets.flatMap(({ byCluster = [] }) => byCluster).filter(({ ids }) => ids.length > 0),
    ).toEqual([{ cluster: missing, id: idOf(1), ids: ['i-a'] }]);
  });

  it('stays that of the cluster which is called something else, also while that cannot be read', () => {
    const renamed = decide(ofFirst, seen(idOf(1), undefined, 'shop'));
    expect(renamed).toMatchObject({ deregister: [], problems: ['Unreachable'] });
    expect(renamed.targets[0]?.byCluster).toEqual([{ cluster: 'shop', id: idOf(1), ids: ['i-a'] }]);
  });

  it.each([
    ['the secret does not say of which cluster it is', ofFirst, seen(undefined, ['b'])],
    [
      'nobody has written down of which cluster it is',
      decide([], seen(undefined, ['a'])).targets,
      seen(idOf(2), ['b']),
    ],
  ])('is of whoever has the name where %s', (_why, before, cluster) => {
    expect(decide(before, cluster)).toMatchObject({ register: ['i-b'], deregister: ['i-a'], problems: [] });
  });
});
