import type { CanaryStep } from '../../crds/cell.ts';
import type { Decision } from '../model/decision.ts';
import type { GuardInput } from '../gates/guard.ts';
import type { Rollout, Step, StepKindName, StepSpec } from '../model/state.ts';
import type { Approvals } from '../model/request.ts';
import { stepKinds as kinds } from './kinds.ts';
import type { StepKind } from './step.ts';

const names = Object.keys(kinds) as readonly StepKindName[];

const kindIn = (written: CanaryStep): StepKindName | undefined =>
  names.find((name) => written[name] !== undefined);

/** Takes a step from the spec; the schema has seen to it that it has exactly one key. */
export function parseStep(written: CanaryStep): Step {
  const kind = kindIn(written);
  if (kind === undefined)
    throw new TypeError(`Expected a step to have one of ${names.join(', ')}, got none.`);
  // The compiler does not follow that the two belong together.
  return { kind, spec: written[kind] } as Step;
}

/** Says a step the way a person would. */
export const describeStep = <Kind extends StepKindName>({ kind, spec }: Step<Kind>): string =>
  kinds[kind].describe(spec);

/** Says a step of the spec; one of a kind that only another release knows by its name. */
export const describeWritten = (written: CanaryStep): string =>
  kindIn(written) === undefined
    ? `${Object.keys(written).join(', ') || 'a step'}, which this release does not know`
    : describeStep(parseStep(written));

/** Whether a step moves traffic. */
export const movesTraffic = ({ kind }: Step): boolean => 'weightAfter' in kinds[kind];

/** Whether a step makes AnalysisRuns, Experiments, Checks or Jobs. */
export const measures = ({ kind }: Step): boolean => {
  const known: StepKind<never> = kinds[kind];
  return 'measures' in known;
};

/** Whether only a person can end a step. */
export function waitsForPerson<Kind extends StepKindName>({ kind, spec }: Step<Kind>): boolean {
  const known: StepKind<StepSpec<Kind>> = kinds[kind];
  return 'waitsForPerson' in known ? known.waitsForPerson(spec) : false;
}

/** How long a step that moves no traffic lasts at the most, where that is a matter of time alone. */
export function lastsAtMost<Kind extends StepKindName>({
  kind,
  spec,
}: Step<Kind>): number | string | undefined {
  const known: StepKind<StepSpec<Kind>> = kinds[kind];
  return 'lasts' in known ? known.lasts(spec) : undefined;
}

/** The approvals that a step takes; undefined: it takes none. */
export function approvalsOf<Kind extends StepKindName>({ kind, spec }: Step<Kind>): Approvals | undefined {
  const known: StepKind<StepSpec<Kind>> = kinds[kind];
  return 'approvals' in known ? known.approvals(spec) : undefined;
}

/** The index of the first step from the current one on that takes approvals; undefined when there is none. */
export function approvalFrom({ steps, index }: Pick<Rollout, 'steps' | 'index'>): number | undefined {
  const at = steps.findIndex((step, i) => i >= index && approvalsOf(step) !== undefined);
  return at === -1 ? undefined : at;
}

/** The canary's total weight once a step is done, of what it was before; a step that moves nothing leaves it. */
export function weightThrough<Kind extends StepKindName>({ kind, spec }: Step<Kind>, before: number): number {
  const known: StepKind<StepSpec<Kind>> = kinds[kind];
  return 'weightAfter' in known ? known.weightAfter(spec, before) : before;
}

/** Decides what a step needs next that moves no traffic; undefined for one that does. */
export function nextOf<Kind extends StepKindName>(
  { kind, spec }: Step<Kind>,
  rollout: Rollout,
  input: GuardInput,
): Decision | undefined {
  const known: StepKind<StepSpec<Kind>> = kinds[kind];
  return 'next' in known ? known.next(spec, rollout, input) : undefined;
}
