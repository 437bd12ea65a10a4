import { given } from '../../domain/model/fields.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { isDegraded } from '../../domain/kubernetes/conditions.ts';
import { type Asked, weightsOf } from '../okractl/describe-cell.ts';
import { cut } from '../../domain/text.ts';
import { inOneLine } from '../terminal-text.ts';
import { type Tone, toneOfPhase } from '../tones.ts';

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

/** A Cell in the list of all. Times are ISO 8601. */
export type CellRow = Readonly<ReturnType<typeof rowOf>>;

/** Makes the row of a Cell. */
export function rowOf({ cell, asked }: KnownCell) {
  const { metadata, status = {} } = cell;
  const { phase = 'Pending', reason = '', step, stableVersion, desiredVersion, rollout, paused } = status;
  const { message = 'Not reconciled yet. Is okrad running?' } = status;
  const { name, namespace = 'default', deletionTimestamp } = metadata;
  const tone: Tone = isDegraded(status) ? 'Bad' : toneOfPhase(phase);
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    phase: deletionTimestamp === undefined ? phase : 'Deleting',
    tone,
    message: cut(inOneLine(message), LONGEST_MESSAGE),
    ...given({
      since: sinceOf(status, tone),
      stable: stableVersion,
      canary: rollout && desiredVersion,
      step: rollout && step && (step === 'done' ? 'steps done' : `step ${step}`),
    }),
    weights: weightsOf(cell, asked).map(({ name: of, group, weight }) => ({
      name: of,
      version: group?.version ?? '',
      role: group?.role ?? '',
      ...given({ asked: weight, served: group?.weight }),
    })),
    asksPerson:
      rollout?.ending === undefined && ((rollout?.paused ?? paused) !== undefined || forPersons.has(reason)),
  };
}

/** Since when a Cell stands as it does, by what a person or the rollout has done last. */
function sinceOf({ rollout, paused, lastSyncTime, conditions = [], history = [] }: CellStatus, tone: Tone) {
  const degraded = conditions.find(({ type, status }) => type === 'Degraded' && status === 'True');
  const last = rollout === undefined && tone === 'Good' ? history[0]?.endedAt : rollout?.stepStartedAt;
  const byPerson = rollout?.ending ?? rollout?.paused ?? paused;
  return byPerson?.time ?? degraded?.lastTransitionTime ?? last ?? lastSyncTime;
}

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
