import { given } from '../../domain/model/fields.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { isDegraded } from '../../domain/kubernetes/conditions.ts';
import { stageNamesIn } from '../okractl/describe.ts';
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

const NOT_RECONCILED = 'Not reconciled yet. Is okrad running?';

/** A Cell in the list of all, or a StagedBindingPolicy, whose namespace is empty. Times are ISO 8601. */
export type CellRow = Readonly<ReturnType<typeof rowOf>>;

/** Makes the row of a Cell. */
export function rowOf({ cell, asked }: KnownCell) {
  const { metadata, status = {} } = cell;
  const { phase = 'Pending', reason = '', step, stableVersion, desiredVersion, rollout, paused } = status;
  const { message = NOT_RECONCILED } = status;
  const { name, namespace = 'default', deletionTimestamp } = metadata;
  const tone = toneOf(status);
  const isPaused = (rollout?.paused ?? paused) !== undefined;
  const needsPerson = rollout?.ending === undefined && (isPaused || forPersons.has(reason));
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
    heading: headingOf(status, needsPerson),
  };
}

type Status = Pick<CellStatus, 'conditions'> & { readonly phase?: string | undefined };

const toneOf = (status: Status): Tone =>
  isDegraded(status) ? 'Bad' : toneOfPhase(status.phase ?? 'Pending');

/** The heading below which an object stands in the list of all. */
function headingOf(status: Status, needsPerson: boolean) {
  if (needsPerson) return 'Needs a person';
  if (toneOf(status) === 'Bad') return 'Degraded';
  const isReady = (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
  return isReady || toneOf(status) === 'Good' ? 'Healthy' : 'Progressing';
}

/** Makes the row of a StagedBindingPolicy, also of one that is stored in a form that no schema allows. */
export function rowOfPolicy({ metadata: { name }, spec, status = {} }: StagedBindingPolicy): CellRow {
  const { phase = 'Pending', message = NOT_RECONCILED, activeStage = '', stages = [], held, paused } = status;
  const names = stageNamesIn(spec);
  const at = names.indexOf(activeStage) + 1;
  const isHeld = (held ?? paused) !== undefined || phase === 'Paused';
  return {
    key: name,
    namespace: '',
    name,
    phase,
    tone: toneOf(status),
    message: cut(inOneLine(message), LONGEST_MESSAGE),
    ...given({
      since: stages.find((stage) => stage.name === activeStage)?.since ?? status.lastSyncTime,
      step: at === 0 || phase === 'Completed' ? undefined : `stage ${at}/${names.length}`,
    }),
    weights: [],
    heading: headingOf(status, isHeld && phase !== 'RollingBack'),
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
