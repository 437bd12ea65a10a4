import { describe, expect, it } from 'vitest';
import { CLUSTER_ID_ANNOTATION, SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import { arnOf } from '../../testing/builders.ts';
import type { KnownCluster } from '../clusters/known-cluster.ts';
import type { Grace } from '../missing.ts';
import type { ClusterReading, ExistingGroup, RemoteBinding } from './observed-target-group-set.ts';
import { decideTargetGroupSet } from './target-group-set.ts';

const idOf = (account: number): string => `arn:aws:eks:eu-central-1:${account}:cluster/web`;
const bound = (arn: string): RemoteBinding => ({
  api: 'elbv2.k8s.aws',
  namespace: 'default',
  name: 'shop',
  labels: {},
  arn: arnOf(arn),
  isDeleting: false,
});
/** The cluster that the secret `web` is of, with what was found there. */
const read = (id: string | undefined, ...bindings: RemoteBinding[]): ClusterReading => {
  const cluster: KnownCluster = { secret: 'web', name: 'web', labels: { service: 'demo' }, id };
  return { cluster, found: { ok: true, bindings } };
};
const now = Date.parse('2026-11-22T12:00:00.000Z');
const key = `web (${idOf(1).replace('/', '%2F')})`;
const within: Grace = { before: [{ name: key, since: '2026-11-22T11:59:00.000Z' }], now, seconds: 180 };
const after: Grace = { before: [{ name: key, since: '2026-11-22T11:57:00.000Z' }], now, seconds: 180 };

function decide(reading: ClusterReading, groups: readonly ExistingGroup[], grace: Grace = within) {
  const spec = { generators: [{ awseks: { clusterSelector: { matchLabels: { service: 'demo' } } } }] };
  const all = { readings: [reading], groups, bindings: [], grace };
  return decideTargetGroupSet({ uid: 'mine', name: 'web', spec, ...all });
}
const short = ({ groups, problems }: ReturnType<typeof decide>) => ({
  create: groups.create.map(({ name, arn }) => [name, arn]),
  update: groups.update.map(({ name, arn }) => [name, arn]),
  delete: groups.delete.map(({ name }) => name),
  problems: problems.map(({ reason }) => reason),
});
const nothing = { create: [], update: [], delete: [], problems: [] };

const mine = { uid: 'mine', kind: 'AWSTargetGroupSet', name: 'web' };
/** The group as it is made of the binding of a cluster. */
const groupOf = (reading: ClusterReading, name = 'default-shop'): ExistingGroup => {
  const [made] = decide(reading, []).groups.create;
  return { ...made!, name, uid: `uid-${name}`, owner: mine };
};
const former = groupOf(read(idOf(1), bound('one')));
const latter = read(idOf(2), bound('two'));
const itsOwn = ['web-default-shop', arnOf('two')];

describe('the group of a cluster whose secret has become that of another', () => {
  it('says of which cluster it is', () => {
    expect(former.annotations[CLUSTER_ID_ANNOTATION]).toBe(idOf(1));
    expect(groupOf(read(undefined, bound('one'))).annotations).not.toHaveProperty(CLUSTER_ID_ANNOTATION);
  });

  it('stays for a while as that of a lost cluster does, and what the other has gets a group of its own', () => {
    const decision = decide(latter, [former]);
    expect(short(decision)).toEqual({ ...nothing, create: [itsOwn], problems: ['ClusterMissing'] });
    expect(decision.missed.missing).toEqual(within.before);
    expect(decision.problems[0]?.message).toContain(
      `Secret web has belonged to another cluster than ${idOf(1)} since 2026-11-22T11:59:00.000Z. The AWSTargetGroups of the cluster are kept until`,
    );
  });

  it.each([
    ['when that is over', after],
    ['at once, where nothing that is missed has time', { before: [], now, seconds: 0 }],
  ])('goes %s, and the group of the other keeps its name', (_, grace) => {
    const own = groupOf(latter, 'web-default-shop');
    expect(short(decide(latter, [former, own], grace))).toEqual({ ...nothing, delete: ['default-shop'] });
    expect(short(decide(latter, [own], grace))).toEqual(nothing);
  });

  it('stays also when the other has nothing under its names, or cannot be read', () => {
    const { cluster } = latter;
    const unread = { cluster, found: { ok: false, reason: 'Unreachable', message: 'No.' } } as const;
    expect(short(decide(read(idOf(2)), [former]))).toEqual({ ...nothing, problems: ['ClusterMissing'] });
    expect(short(decide(unread, [former])).problems).toEqual(['Unreachable', 'ClusterMissing']);
    expect(short(decide(unread, [former], after)).delete).toEqual(['default-shop']);
  });

  it('keeps its name, also where that is the one which the group of the other would have', () => {
    const annotations = { ...former.annotations, [SOURCE_ANNOTATION]: 'web/default/second' };
    const second = { ...former, name: 'web-default-shop', arn: arnOf('second'), annotations };
    const problems = ['ClusterMissing', 'NameTaken'];
    expect(short(decide(latter, [former, second]))).toEqual({ ...nothing, problems });
  });

  it.each([
    ['while it is missed', within],
    ['in the look in which it would go', after],
  ])('is taken over as it is by a binding of the other with the same ARN, %s', (_, grace) => {
    const decision = short(decide(read(idOf(2), bound('one')), [former], grace));
    expect(decision).toMatchObject({ create: [], update: [['default-shop', arnOf('one')]], delete: [] });
  });

  it('stays that of the cluster when this has its secret again', () => {
    expect(short(decide(read(idOf(1), bound('one')), [former]))).toEqual(nothing);
  });

  it.each([
    ['the secret does not say which cluster it is of', former, undefined],
    ['the group does not say it yet', groupOf(read(undefined, bound('one'))), idOf(1)],
  ])('is that of whoever has the secret where %s', (_, group, id) => {
    const { create, update, delete: gone } = short(decide(read(id, bound('one')), [group]));
    expect([...create, ...gone]).toEqual([]);
    expect(update.every(([name]) => name === 'default-shop')).toBe(true);
    expect(group.annotations[SOURCE_ANNOTATION]).toBe('web/default/shop');
  });
});
