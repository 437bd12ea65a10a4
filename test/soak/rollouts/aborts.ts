import { setTimeout as wait } from 'node:timers/promises';
import type { CellStatus } from '../../../crds/cell.ts';
import type { CallRecord } from '../../../local/elbv2-proxy/control.ts';
import type { Stage } from '../../support/stage/stage.ts';
import type { SoakedCell } from './soaked-cell.ts';

/** How long an abort may take while ELBv2 fails and okrad is ended again and again, in milliseconds. */
const LONGEST_MS = 120_000;
const LOOK_MS = 500;

/** Sends aborts, and sees to it that each comes to what it should. */
export interface AbortWatch {
  /** Sends one, and says of which version. */
  readonly abort: (cell: SoakedCell) => Promise<string>;
  /** Learns that something happens to a Cell after which an abort may come to something else, and what is blocked may get more. */
  readonly disturb: (cell: SoakedCell) => Promise<void>;
  /** Waits for all that were sent, and says what was lost. */
  readonly lost: () => Promise<readonly string[]>;
  /** Says which versions got more traffic although they were blocked. */
  readonly gained: () => Promise<readonly string[]>;
}

/** A version that is blocked, and whose share may not grow while the proxy counts calls from one number to the other. */
interface Blocked {
  readonly cell: string;
  readonly version: string;
  readonly arns: ReadonlySet<string>;
  readonly since: number;
  until?: number;
}

/** Watches the aborts of a stage. */
export function watchAborts(stage: Stage): AbortWatch {
  const watching: Promise<string | undefined>[] = [];
  const blocked: Blocked[] = [];
  const block = async (cell: SoakedCell, version: string, disturbances: number): Promise<void> => {
    const since = await stage.proxy.lastCall();
    // Only now: what happens meanwhile may want it.
    if (cell.disturbances !== disturbances) return;
    const arns = [...cell.groups].flatMap(([name, of]) =>
      of === version ? (stage.arns.get(name) ?? []) : [],
    );
    blocked.push({ cell: cell.name, version, arns: new Set(arns), since });
  };
  return {
    async disturb(cell) {
      cell.disturbances += 1;
      const now = await stage.proxy.lastCall();
      for (const one of blocked) if (one.cell === cell.name) one.until ??= now;
    },
    async gained() {
      const calls = await stage.calls();
      return blocked.flatMap((one) => increasesOf(one, calls));
    },
    async abort(cell) {
      const status = await stage.status(cell.name);
      await stage.signal(cell.name, 'abort', { by: 'ann' });
      if (!mayBeAborted(status)) return 'nothing';
      watching.push(untilAborted(stage, cell, status, block));
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

async function untilAborted(
  stage: Stage,
  cell: SoakedCell,
  at: CellStatus,
  block: (cell: SoakedCell, version: string, disturbances: number) => Promise<void>,
): Promise<string | undefined> {
  const { disturbances } = cell;
  let now = at;
  let isKnown = false;
  for (const end = Date.now() + LONGEST_MS; Date.now() < end; await wait(LOOK_MS)) {
    if (cell.disturbances !== disturbances) return undefined;
    now = await stage.status(cell.name);
    if (!isKnown && isBlocked(now, at)) await block(cell, at.desiredVersion ?? '', disturbances);
    isKnown = isBlocked(now, at);
    if (isOver(now, at)) return undefined;
  }
  return `the abort of ${at.desiredVersion} in ${cell.name} was lost: ${JSON.stringify(now)}`;
}

const isBlocked = (now: CellStatus, { desiredVersion: version }: CellStatus): boolean =>
  now.blockedVersions?.some((one) => one.version === version) === true;

/** The writes that gave a version more while it was blocked. */
function increasesOf(
  { cell, version, arns, since, until = Infinity }: Blocked,
  calls: readonly CallRecord[],
): readonly string[] {
  const shareIn = (rules: CallRecord['after']): number =>
    (rules ?? [])
      .flatMap(({ forward }) => forward)
      .reduce((sum, { arn, weight }) => (arns.has(arn) ? sum + (weight ?? 1) : sum), 0);
  return calls
    .filter(
      ({ seq, applied, before, after }) =>
        applied && seq > since && seq <= until && shareIn(after) > shareIn(before),
    )
    .map(({ seq }) => `call ${seq} gave ${version} of ${cell} more although it was blocked`);
}

/** Whether the version is blocked and has no traffic, or its rollout was over before the abort came. */
function isOver(now: CellStatus, { desiredVersion: version, rollout }: CellStatus): boolean {
  const carries = (now.targetGroups ?? []).some((group) => group.version === version && group.weight > 0);
  if (isBlocked(now, { desiredVersion: version }) && !carries) return true;
  const since = Date.parse(rollout?.startedAt ?? '');
  return (now.history ?? []).some(
    (one) => one.version === version && one.outcome !== 'Reverted' && Date.parse(one.endedAt) >= since,
  );
}
