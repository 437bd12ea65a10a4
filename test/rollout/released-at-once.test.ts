import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CELL, FREEZE } from '../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../crds/cell.ts';
import { createListener } from '../../local/aws-fixture.ts';
import type { CallRecord } from '../../local/elbv2-proxy/control.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

/** How many Cells one Freeze releases: more than okrad has slots for calls to ELBv2 (worker.ts). More take longer to set up than to release. */
const CELLS = Number(process.env['OKRA_TEST_CELLS'] ?? 30);
/** What so many Cells take at most, on a slow machine. */
const LONGEST_MS = 400_000 + CELLS * 4_000;
/** A listener has room for 100 rules. */
const PER_LISTENER = 90;
const BURST = 5;
const PER_SECOND = 20;
const steps = [{ setWeight: 20 }, { pause: {} }];

/** A listener with its own target groups, which all Cells on it select. */
interface Side {
  readonly name: string;
  readonly listenerARN: string;
  readonly cells: readonly string[];
}

describe('many Cells that one Freeze releases', () => {
  let stage: Stage;
  let sides: readonly Side[];
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), {
      OKRA_ELBV2_WRITES_PER_SECOND: String(PER_SECOND),
      OKRA_ELBV2_WRITE_BURST: String(BURST),
    });
    sides = await Promise.all(
      Array.from({ length: Math.ceil(CELLS / PER_LISTENER) }, async (_, index) => {
        const name = `s${index}`;
        const { listenerArn } = await createListener(stage.elbv2, `${stage.namespace}${name}`.slice(-32));
        stage.moreListeners.push(listenerArn);
        const count = Math.min(PER_LISTENER, CELLS - index * PER_LISTENER);
        const cells = Array.from({ length: count }, (_each, which) => `${name}-${which}`);
        return { name, listenerARN: listenerArn, cells };
      }),
    );
  });
  afterAll(() => stage.close(), LONGEST_MS);

  const provision = (version: string, letter: string): Promise<void[]> =>
    Promise.all(sides.map(({ name }) => stage.targetGroups(version, [`${name}${letter}`], { role: name })));
  const cellOn = ({ name, listenerARN }: Side, cell: string, priority: number): object =>
    JSON.parse(
      JSON.stringify({
        ...stage.cell(cell, { priority, role: name, steps }),
        metadata: { name: cell, namespace: stage.namespace },
      }).replaceAll(stage.listenerARN, listenerARN),
    ) as object;
  const statuses = async (): Promise<readonly (Cell['status'] & { readonly name: string })[]> =>
    (await stage.kubernetes.list<Cell>(CELL, { namespace: stage.namespace })).map(({ metadata, status }) => ({
      ...status,
      name: metadata.name,
    }));
  /** Waits until each Cell but `first` fulfils a condition. */
  const untilAll = (
    what: string,
    holds: (status: NonNullable<Cell['status']>) => boolean,
  ): Promise<unknown> =>
    until(
      `all Cells to be ${what}`,
      async () => (await statuses()).every((status) => status.name === 'first' || holds(status)),
      {
        timeoutMs: LONGEST_MS,
        seen: async () =>
          Object.entries(
            Object.groupBy(
              await statuses(),
              ({ phase, reason, message = '' }) => `${phase} ${reason} ${message.slice(0, 200)}`,
            ),
          ).map(([how, list = []]) => `${how}: ${list.length}`),
      },
    );
  const isWrite = ({ action, applied }: CallRecord): boolean =>
    applied && (action === 'CreateRule' || action === 'ModifyRule');

  it(
    'all arrive within the rate limit, and an abort among them reverts its Cell',
    { timeout: 3 * LONGEST_MS },
    async () => {
      await stage.targetGroups('1.0.0', ['firsta'], { role: 'first' });
      await stage.apply(stage.cell('first', { priority: 10, role: 'first', steps }));
      await provision('1.0.0', 'a');
      await Promise.all(
        sides.flatMap((side) =>
          side.cells.map((cell, index) => stage.kubernetes.apply(cellOn(side, cell, 10 + index) as never)),
        ),
      );
      await untilAll('Completed', ({ phase }) => phase === 'Completed');
      await stage.targetGroups('2.0.0', ['firstb'], { role: 'first' });
      await stage.untilStatus(
        'first',
        'paused at 20',
        (status) => status.canaryWeight === 20 && status.phase === 'Paused',
      );

      await stage.apply({
        apiVersion: 'okra.mumo.co/v1alpha1',
        kind: 'Freeze',
        metadata: { name: stage.namespace },
        spec: { by: 'ops', reason: 'Friday.', namespaces: [stage.namespace] },
      });
      await provision('2.0.0', 'b');
      await untilAll('held by the Freeze', ({ reason }) => reason === 'WaitingForFreeze');
      await stage.mark();
      const releasedAt = Date.now();
      await stage.delete(FREEZE, stage.namespace);
      await until('a queue of writes', async () => (await stage.calls()).filter(isWrite).length > 10);
      await stage.signal('first', 'abort', { by: 'ann' });
      await untilAll('paused at 20', ({ phase, canaryWeight }) => phase === 'Paused' && canaryWeight === 20);
      const arrivedAt = Date.now();

      const writes = (await stage.calls()).filter(isWrite).toSorted((a, b) => a.endedAt - b.endedAt);
      expect(writes).toHaveLength(CELLS * 2 + 1);
      await stage.untilPhase('first', 'Reverted', '1.0.0');
      expect(await stage.weights(10)).toMatchObject({ firsta: 100 });
      expect(tooFast(writes.map(({ startedAt }) => startedAt))).toEqual([]);
      process.stdout.write(`${CELLS} Cells: ${arrivedAt - releasedAt} ms for ${writes.length} writes\n`);
      const failed = await stage.count(
        `OkraNamespace="${stage.namespace}" AND ExecutionStatus IN ("Failed","TimedOut","Terminated")`,
      );
      expect(failed).toBe(0);
    },
  );
});

/** The times from which on more writes came than the rate limit allows: its burst, the one that is kept for what goes back, and the rate. */
function tooFast(times: readonly number[]): readonly string[] {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.flatMap((start, first) =>
    sorted.slice(first).flatMap((end, more) => {
      // A write begins some time after its turn, so that two that are due apart may come together.
      const allowed = BURST + 1 + ((end - start + 1_000) / 1_000) * PER_SECOND;
      return more + 1 > allowed ? [`${more + 1} writes within ${end - start} ms`] : [];
    }),
  );
}
