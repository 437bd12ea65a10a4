import { given } from '../../domain/model/fields.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Asked } from '../okractl/describe-cell.ts';
import { isDegraded } from '../okractl/refusals.ts';
import { cut } from '../../domain/text.ts';
import { inOneLine } from '../terminal-text.ts';
import type { CellRow, GroupWeight, Tone } from './view.ts';

/** What is known of a Cell, as far as the list of all shows it. */
export interface KnownCell {
  readonly cell: Cell;
  readonly asked: Asked;
}

const LONGEST_MESSAGE = 500;

const forPersons = new Set([
  'WaitingForApproval',
  'ApprovalTimedOut',
  'WaitingForResume',
  'WaitingForVerdict',
]);

/** Makes the row of a Cell; `before` is its last one, which knows since when it stands as it does. */
export function rowOf({ cell, asked }: KnownCell, before?: CellRow): CellRow {
  const { metadata, status = {} } = cell;
  const { phase = 'Pending', reason = '', message, step, stableVersion, rollout, paused } = status;
  const { name, namespace = 'default', deletionTimestamp } = metadata;
  const said = message ?? 'Not reconciled yet. Is okrad running?';
  const row: Omit<CellRow, 'since'> = {
    key: `${namespace}/${name}`,
    namespace,
    name,
    phase: deletionTimestamp === undefined ? phase : 'Deleting',
    tone: isDegraded(status) ? 'Bad' : toneOfPhase(phase),
    message: cut(inOneLine(said), LONGEST_MESSAGE),
    ...given({ stable: stableVersion }),
    ...(rollout === undefined || status.desiredVersion === undefined
      ? {}
      : { canary: status.desiredVersion }),
    ...(rollout === undefined || step === undefined
      ? {}
      : { step: step === 'done' ? 'steps done' : `step ${step}` }),
    weights: weightsOf(cell, asked),
    asksPerson:
      rollout?.ending === undefined && ((rollout?.paused ?? paused) !== undefined || forPersons.has(reason)),
  };
  const since = sinceOf(row, cell, before);
  return since === undefined ? row : { ...row, since };
}

/** What a rollout waits for from the beginning of a step. */
const waitsForStep = new Set([
  'WaitingForResume',
  'WaitingForPause',
  'WaitingForApproval',
  'WaitingForAnalysis',
  'WaitingForExperiment',
  'WaitingForCheck',
  'WaitingForJob',
  'WaitingForBake',
]);

/** A status is written when it has changed: as long as phase and step stay, it stands as it did. */
function sinceOf(row: CellRow, { status = {} }: Cell, before: CellRow | undefined): string | undefined {
  const { rollout, paused, lastSyncTime, history = [] } = status;
  const said = rollout?.ending?.time ?? (rollout?.paused ?? paused)?.time;
  if (said !== undefined) return said;
  if (waitsForStep.has(status.reason ?? '') && rollout?.stepStartedAt !== undefined)
    return rollout.stepStartedAt;
  if (rollout === undefined && row.tone === 'Good') return history[0]?.endedAt ?? lastSyncTime;
  return before !== undefined && saysTheSame(before, row) ? before.since : lastSyncTime;
}

const saysTheSame = (before: CellRow, row: CellRow): boolean =>
  before.phase === row.phase &&
  before.step === row.step &&
  before.canary === row.canary &&
  wordsOf(before.message) === wordsOf(row.message);

/** Numbers and times in a message change while what it says stays the same. */
const wordsOf = (message: string): string => message.replaceAll(/[0-9]+/g, '#');

/** The target groups of a Cell: what serves first, then the others by name. */
function weightsOf({ status = {} }: Pick<Cell, 'status'>, asked: Asked): readonly GroupWeight[] {
  const served = status.targetGroups ?? [];
  const wanted = asked.is === 'Known' ? asked.targetGroups : [];
  const names = [...new Set([...served, ...wanted].map(({ name }) => name))];
  return names.map((name) => {
    const group = served.find((one) => one.name === name);
    const weight = wanted.find((one) => one.name === name)?.weight;
    return {
      name,
      version: group?.version ?? '',
      role: group?.role ?? '',
      ...given({ asked: weight, served: group?.weight }),
    };
  });
}

/** The phases of all kinds by their tones; what has another one is moving. */
const tones = {
  Good: ['Successful', 'Complete', 'Completed', 'Passed', 'Synced', 'Fulfilled'],
  Held: ['Inconclusive', 'Extended', 'Paused', 'Waiting'],
  Bad: [
    'Failed',
    'Error',
    'PrecheckFailed',
    'CheckFailed',
    'TimedOut',
    'Reverting',
    'Reverted',
    'RevertBlocked',
    'RollingBack',
    'RolledBack',
  ],
  Idle: ['Pending', 'Terminated'],
} as const satisfies Partial<Record<Tone, readonly string[]>>;

const byPhase: ReadonlyMap<string, Tone> = new Map(
  (['Good', 'Held', 'Bad', 'Idle'] as const).flatMap((tone) =>
    tones[tone].map((phase): [string, Tone] => [phase, tone]),
  ),
);

/** Returns the tone of the phase of an object, or of a stage or an application. */
export const toneOfPhase = (phase: string): Tone => byPhase.get(phase) ?? 'Moving';

/** Returns the tone of the phase of something that measures. */
export const toneOfVerdict = (phase: string): Tone => (phase === 'Pending' ? 'Moving' : toneOfPhase(phase));

const byOutcome: Readonly<Record<string, Tone>> = {
  Installed: 'Good',
  Completed: 'Good',
  RolledBack: 'Held',
  FellBack: 'Held',
  Reverted: 'Bad',
};

/** Returns the tone of how a change has ended. */
export const toneOfOutcome = (outcome: string): Tone => byOutcome[outcome] ?? 'Idle';
