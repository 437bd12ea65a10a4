import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  allSynced,
  cellOf,
  openFleet,
  webApplication,
  type ClusterEntry,
  type Fleet,
} from '../support/stage/fleet.ts';
import { Stage } from '../support/stage/stage.ts';

describe('applications in parallel whose Cell may adopt', () => {
  let stage: Stage;
  let fleet: Fleet;
  let first: readonly ClusterEntry[];

  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_IDENTITY: 'exchange', OKRA_SYNC_INTERVAL: '5' });
    fleet = await openFleet(stage, ['web', 'api']);
    first = await Promise.all([
      fleet.bring('web-1-v1', { role: 'web' }),
      fleet.bring('api-v1', { role: 'api' }),
    ]);
  });
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]();
    await stage.close();
  });

  const at = (web: number, api: number, clusters: readonly ClusterEntry[]) => {
    const cell = cellOf(
      'mysystem',
      clusters,
      [
        webApplication(stage, { name: 'web', role: 'web', priority: web, stepWeight: 50 }),
        webApplication(stage, { name: 'api', role: 'api', priority: api }),
      ],
      { parallel: true },
    );
    return { ...cell, metadata: { ...cell.metadata, annotations: { 'okra.mumo.co/adopt': 'true' } } };
  };
  const untilAt = (web: number, api: number) =>
    stage.untilStatus(
      'mysystem',
      `synced at ${web} and ${api}`,
      (status) =>
        allSynced(status) &&
        status.phase === 'Completed' &&
        status.applications?.map(({ revision }) => revision).join() === `${web},${api}`,
    );
  const hosts = async () =>
    Object.fromEntries(
      await Promise.all(
        [10, 11].map(async (priority) => {
          const rule = await stage.rule(priority);
          return [
            priority,
            rule?.Conditions?.flatMap(({ HostHeaderConfig }) => HostHeaderConfig?.Values ?? []),
          ];
        }),
      ),
    );
  const moves = async () =>
    (await stage.calls()).filter((call) => call.action === 'SetRulePriorities' && call.applied).length;

  it('exchange their listener rules, and no traffic moves', async () => {
    await stage.apply(at(10, 11, first));
    await untilAt(1, 1);
    const rules = [await stage.rule(10), await stage.rule(11)].map((rule) => rule?.RuleArn);
    await stage.mark();
    await stage.apply(at(11, 10, first));
    await untilAt(2, 2);
    expect([await stage.rule(11), await stage.rule(10)].map((rule) => rule?.RuleArn)).toEqual(rules);
    expect(await hosts()).toEqual({ 10: ['api.example.com'], 11: ['web.example.com'] });
    expect(await stage.weights(11)).toEqual({ 'mysystem-web-web-1-v1': 100 });
    expect(await stage.weights(10)).toEqual({ 'mysystem-api-api-v1': 100 });
    expect(await stage.writes()).toEqual([]);
    // Both may have come to it at once; the second call then changes nothing.
    expect(await moves()).toBeGreaterThan(0);
  });

  it('do so while the traffic of one of them moves to another cluster', async () => {
    const next = await fleet.bring('web-1-v2', { role: 'web' });
    await stage.mark();
    await stage.apply(at(10, 11, [next, ...first.filter(({ name }) => name === 'api-v1')]));
    await untilAt(3, 3);
    expect(await hosts()).toEqual({ 10: ['web.example.com'], 11: ['api.example.com'] });
    expect(await stage.weights(11)).toEqual({ 'mysystem-api-api-v1': 100 });
    expect((await stage.writes()).slice(0, 3)).toEqual(
      [0, 50, 100].map((weight) => ({
        'mysystem-web-web-1-v1': 100 - weight,
        'mysystem-web-web-1-v2': weight,
      })),
    );
    expect(await moves()).toBeGreaterThan(0);
    await stage.untilStatus('mysystem-web', 'without the old target group', ({ targetGroups = [] }) =>
      targetGroups.every(({ weight }) => weight > 0),
    );
  });
});
