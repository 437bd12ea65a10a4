import { setTimeout as wait } from 'node:timers/promises';
import type { CellStatus } from '../../crds/cell.ts';
import type { Stage } from '../support/stage/stage.ts';
import type { SoakedCell } from './soaked-cell.ts';

/** How long an abort may take while ELBv2 fails and okrad is ended again and again, in milliseconds. */
const LONGEST_MS = 60_000;
const LOOK_MS = 500;

/** Sends aborts, and sees to it that each comes to what it should. */
export interface AbortWatch {
  /** Sends one, and says of which version. */
  readonly abort: (cell: SoakedCell) => Promise<string>;
  /** Waits for all that were sent, and says what was lost. */
  readonly lost: () => Promise<readonly string[]>;
}

/** Watches the aborts of a stage. */
export function watchAborts(stage: Stage): AbortWatch {
  const watching: Promise<string | undefined>[] = [];
  return {
    async abort(cell) {
      const status = await stage.status(cell.name);
      await stage.signal(cell.name, 'abort', { by: 'ann' });
      if (!mayBeAborted(status)) return 'nothing';
      watching.push(untilAborted(stage, cell, status));
      return status.desiredVersion ?? '';
    },
    lost: async () => (await Promise.all(watching)).filter((one) => one !== undefined),
  };
}

const mayBeAborted = ({ rollout, phase, desiredVersion, stableVersion }: CellStatus): boolean =>
  rollout !== undefined &&
  rollout.ending === undefined &&
  (phase === 'Progressing' || phase === 'Paused') &&
  desiredVersion !== stableVersion;

async function untilAborted(stage: Stage, cell: SoakedCell, at: CellStatus): Promise<string | undefined> {
  const { disturbances } = cell;
  let now = at;
  for (const end = Date.now() + LONGEST_MS; Date.now() < end; await wait(LOOK_MS)) {
    if (cell.disturbances !== disturbances) return undefined;
    now = await stage.status(cell.name);
    if (isOver(now, at)) return undefined;
  }
  return `the abort of ${at.desiredVersion} in ${cell.name} was lost: ${JSON.stringify(now)}`;
}

/** Whether the version is blocked and has no traffic, or its rollout was over before the abort came. */
function isOver(now: CellStatus, { desiredVersion: version, rollout }: CellStatus): boolean {
  const carries = (now.targetGroups ?? []).some((group) => group.version === version && group.weight > 0);
  const isBlocked = now.blockedVersions?.some((one) => one.version === version) === true;
  if (isBlocked && !carries) return true;
  const since = Date.parse(rollout?.startedAt ?? '');
  return (now.history ?? []).some(
    (one) => one.version === version && one.outcome !== 'Reverted' && Date.parse(one.endedAt) >= since,
  );
}
