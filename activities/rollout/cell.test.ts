import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import type { CellReport } from '../../domain/rollout/report/events.ts';
import { cellActivities } from './cell.ts';

interface Applied {
  readonly status: { readonly phase: string };
}

/** An API server that takes its time with one phase; what is given up until then does not land. */
function landing(slow: string, landed: string[]) {
  return {
    apply: ({ status: { phase } }: Applied, { signal }: { readonly signal?: AbortSignal }) =>
      new Promise<void>((done, fail) => {
        if (signal?.aborted === true) fail(signal.reason as Error);
        signal?.addEventListener('abort', () => fail(signal.reason as Error));
        setTimeout(() => done(void landed.push(phase)), phase === slow ? 50 : 0);
      }),
    create: () => Promise.resolve(),
  };
}

const of = (phase: string): CellReport =>
  ({ key: { namespace: 'default', name: 'web' }, uid: 'u', status: { phase }, events: [] }) as never;

it('a report that was given up does not land after the next, which may have blocked a version', async () => {
  const landed: string[] = [];
  const activities = cellActivities({ kubernetes: landing('Progressing', landed) } as never);
  const reporting = (phase: string, cancellationSignal: AbortSignal): Promise<void> =>
    asyncLocalStorage.run({ info: {}, cancellationSignal } as unknown as Context, () =>
      activities.reportCell(of(phase)),
    );
  const workflow = new AbortController();
  const first = reporting('Progressing', workflow.signal);
  const outcome = first.catch((error: unknown) => String(error));
  workflow.abort(new Error('Given up.'));
  await reporting('Reverting', new AbortController().signal);
  expect(await outcome).toContain('Given up.');
  expect(landed).toEqual(['Reverting']);
});

it('a report logs each Event of the Cell, with its versions and weight', async () => {
  const lines: unknown[] = [];
  const log = {
    info: (...line: unknown[]) => lines.push(line),
    warn: (...line: unknown[]) => lines.push(line),
  };
  const activities = cellActivities({ kubernetes: landing('', []), log } as never);
  const status = { phase: 'Progressing', desiredVersion: '2.0.0', stableVersion: '1.0.0', canaryWeight: 20 };
  const message = 'Set the weight of 2.0.0 to 20. Confirmed by ELBv2.';
  const events = [{ id: '1', type: 'Normal', reason: 'WeightsShifted', message }];
  const { signal } = new AbortController();
  await asyncLocalStorage.run({ info: {}, cancellationSignal: signal } as unknown as Context, () =>
    activities.reportCell({ ...of(''), status, events } as never),
  );
  const about = { desiredVersion: '2.0.0', stableVersion: '1.0.0', canaryWeight: 20 };
  expect(lines).toEqual([[{ cell: 'default/web', event: 'WeightsShifted', ...about }, message]]);
});
