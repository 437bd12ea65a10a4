import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JOB } from '../../clients/kubernetes/kinds.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { cellOf, openFleet, webApplication, type Fleet } from '../support/stage/fleet.ts';
import { followStatus } from '../support/stage/followed.ts';
import { Stage } from '../support/stage/stage.ts';
import { withoutRepeats } from '../support/stage/without-repeats.ts';
import { until } from '../support/until.ts';

interface JobObject {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly succeeded?: number; readonly failed?: number };
}

describe('the rollout of an application', () => {
  let stage: Stage;
  let fleet: Fleet;
  beforeAll(async () => {
    // One that is started again under its name takes up its own lease.
    const environment = { OKRA_IDENTITY: 'applications-crash' };
    stage = await Stage.open(inject('stack'), environment, { endsOkrad: true });
    fleet = await openFleet(stage, ['web']);
  });
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]();
    await stage.close();
  });

  it(
    'survives kill -9 of okrad at every event, with the same order and each Job once',
    { timeout: 480_000 },
    async () => {
      const job = { template: { spec: { image: 'test', command: ['true'] } } };
      const checks = [{ name: 'run-test', job }];
      const more = { prechecks: checks, checks, postchecks: checks };
      const web = (checked: object) => [
        webApplication(stage, { name: 'web', role: 'web', priority: 10, stepWeight: 50, more: checked }),
      ];
      const [v1, v2] = await Promise.all([
        fleet.bring('web-v1', { role: 'web' }),
        fleet.bring('web-v2', { role: 'web' }),
      ]);
      const isAt = (revision: number) => (status: CellStatus) => {
        const [own] = status.applications ?? [];
        return own?.revision === revision && own.phase === 'Synced' && status.phase === 'Completed';
      };
      await stage.apply(cellOf('mysystem', [v1], web({})));
      await stage.untilStatus('mysystem', 'at revision 1', isAt(1));
      await stage.mark();
      await using followed = await followStatus(stage, 'mysystem');
      await stage.apply(cellOf('mysystem', [v2], web(more)));
      const events = () =>
        new Set(followed.statuses.map(({ applications }) => JSON.stringify(applications?.[0])));
      let kills = 0;
      for (let seen = 0; ; seen = events().size) {
        const found = await until('the next event', () =>
          Promise.resolve(isAt(2)(followed.statuses.at(-1) ?? {}) ? 'over' : events().size > seen && 'event'),
        );
        if (found === 'over') break;
        await stage.okrad.end('SIGKILL');
        kills += 1;
        stage.okrad.start();
      }
      // Each of these is seen by the status at least.
      expect(kills).toBeGreaterThanOrEqual(6);
      // Last, what has no traffic leaves the rule.
      const writes = await until('the old target group to leave the rule', async () => {
        const all = withoutRepeats(await stage.writes());
        return all.length >= 4 && all;
      });
      await stage.untilStatus(
        'mysystem-web',
        'without the old target group',
        ({ targetGroups = [] }) => targetGroups.length === 1,
      );
      expect(writes.slice(0, 4)).toEqual([
        ...[0, 50, 100].map((canary) => ({
          'mysystem-web-web-v1': 100 - canary,
          'mysystem-web-web-v2': canary,
        })),
        { 'mysystem-web-web-v2': 100 },
      ]);
      // A kill may cut the last of them off before the status tells of it: then it is put back, which moves no traffic, and made again.
      const again = withoutRepeats(await stage.writes()).slice(4);
      expect(again.map((weights) => weights['mysystem-web-web-v2'])).toEqual(again.map(() => 100));
      expect(again.map((weights) => weights['mysystem-web-web-v1'])).toEqual(
        again.map((_, index) => (index % 2 === 0 ? 0 : undefined)),
      );
      expect(again.length % 2).toBe(0);
      expect(fleet.secrets.map(({ did, cluster }) => `${cluster} ${did}`)).toEqual([
        'web-v1 comes',
        'web-v2 comes',
        'web-v1 goes',
      ]);
      const jobs = await stage.kubernetes.list<JobObject>(JOB, { namespace: stage.namespace });
      // Before, at each of two weights, and afterwards.
      expect(jobs.map(({ status }) => [status?.succeeded, status?.failed ?? 0])).toEqual(
        [1, 2, 3, 4].map(() => [1, 0]),
      );
    },
  );
});
