import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { AWS_TARGET_GROUP, CONTROLLER_REVISION } from '../../clients/kubernetes/kinds.ts';
import {
  allSynced,
  cellOf,
  openFleet,
  phasesIn,
  webApplication,
  type ClusterEntry,
  type Fleet,
} from '../support/stage/fleet.ts';
import { followStatus } from '../support/stage/followed.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('a Cell with applications', () => {
  let stage: Stage;
  let fleet: Fleet;
  const entries = new Map<string, ClusterEntry>();
  const entry = (name: string): ClusterEntry => {
    const found = entries.get(name);
    if (found === undefined) throw new Error(`Expected cluster ${name} to be there.`);
    return found;
  };
  const named = (...names: readonly string[]): readonly ClusterEntry[] => names.map(entry);
  const bring = async (name: string, role: string, status: 'ACTIVE' | 'CREATING' = 'ACTIVE') =>
    void entries.set(name, await fleet.bring(name, { role }, { status }));
  const web = (more: object = {}) =>
    webApplication(stage, { name: 'web', role: 'web', priority: 10, stepWeight: 30, more });
  const api = () => webApplication(stage, { name: 'api', role: 'api', priority: 11 });
  const untilSynced = () =>
    stage.untilStatus('mysystem', 'synced', (status) => allSynced(status) && status.phase === 'Completed');

  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_IDENTITY: 'applications' });
    fleet = await openFleet(stage, ['web', 'api', 'jobs']);
    await Promise.all([
      bring('web-1-v1', 'web'),
      bring('web-2-v1', 'web'),
      bring('api-v1', 'api', 'CREATING'),
    ]);
  });
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]();
    await stage.close();
  });
  beforeEach(() => stage.mark());

  it('A-G01 waits until every cluster is ready, and touches nothing before', async () => {
    await stage.apply(cellOf('mysystem', named('web-1-v1', 'web-2-v1', 'api-v1'), [web(), api()]));
    const waiting = await stage.untilStatus(
      'mysystem',
      'waiting',
      ({ phase, clusters = [] }) => phase === 'Waiting' && clusters.some(({ ready }) => ready),
    );
    expect(waiting.clusters).toMatchObject([
      { name: 'web-1-v1', ready: true },
      { name: 'web-2-v1', ready: true },
      { name: 'api-v1', ready: false, message: expect.stringContaining('CREATING') as string },
    ]);
    expect(fleet.secrets).toEqual([]);
    expect(await stage.writes()).toEqual([]);
    await using followed = await followStatus(stage, 'mysystem');
    await fleet.change('api-v1', { status: 'ACTIVE' });
    await untilSynced();
    // A-G15: one after the other, in the order of the list.
    expect(
      followed.statuses.map((status) => phasesIn(status)).filter(({ api: phase }) => phase !== 'Pending'),
    ).toSatisfy((seen: readonly Readonly<Record<string, string>>[]) =>
      seen.every(({ web: phase }) => phase === 'Synced'),
    );
  });

  it('A-G06, A-G10 moves web to new clusters: secrets, weights 30, 60, 90, 100, and then the old secrets', async () => {
    await Promise.all([bring('web-1-v2', 'web'), bring('web-2-v2', 'web')]);
    const begun = fleet.secrets.length;
    await stage.apply(cellOf('mysystem', named('web-1-v2', 'web-2-v2', 'api-v1'), [web(), api()]));
    await stage.untilStatus('mysystem', 'at revision 2', (status) =>
      (status.applications ?? []).some(({ name, revision }) => name === 'web' && revision === 2),
    );
    await untilSynced();
    const old = (canary: number) => Math.round((100 - canary) / 2);
    expect(await stage.writes()).toEqual(
      [0, 30, 60, 90, 100].map((weight) => ({
        'web-1-v1': old(weight),
        'web-2-v1': old(weight),
        'web-1-v2': weight / 2,
        'web-2-v2': weight / 2,
      })),
    );
    expect(fleet.secrets.slice(begun).map(({ did, cluster }) => `${cluster} ${did}`)).toEqual([
      'web-1-v2 comes',
      'web-2-v2 comes',
      'web-1-v1 goes',
      'web-2-v1 goes',
    ]);
  });

  it('keeps a revision of each, and nothing of the clusters that are gone', async () => {
    const { namespace } = stage;
    const names = async (kind: typeof CONTROLLER_REVISION) =>
      (await stage.kubernetes.list<{ metadata: { name: string } }>(kind, { namespace }))
        .map(({ metadata }) => metadata.name)
        .toSorted();
    expect(await names(CONTROLLER_REVISION)).toEqual(['mysystem-api-1', 'mysystem-web-1', 'mysystem-web-2']);
    await until('the old target groups to go', async () => (await names(AWS_TARGET_GROUP)).length === 3);
    expect(await names(AWS_TARGET_GROUP)).toEqual([
      'mysystem-api-api-v1',
      'mysystem-web-web-1-v2',
      'mysystem-web-web-2-v2',
    ]);
  });
});
