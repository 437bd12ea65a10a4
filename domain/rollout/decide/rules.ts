import { gate } from '../../gates/gate.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { checkTargets, evacuate, failedByHealth } from '../../gates/targets.ts';
import type { Decision } from '../../model/decision.ts';
import type { Rollout } from '../../model/state.ts';
import type { CompleteRules, Rule, Rules } from '../../rules.ts';
import { carriersBeside } from '../../versions/stable.ts';
import type { VersionSet } from '../../versions/version.ts';
import {
  attendBackground,
  findDueBackground,
  failureInBackground,
  readBackground,
} from '../measure/background.ts';
import { adopt, inspect, inspectDoubtful, reinstall, editRule, isUnsure, reconfigure } from './adoption.ts';
import { takeStep } from './canary.ts';
import { awaitBackoff, holdPaused } from './hold.ts';
import {
  fallBack,
  install,
  keepWithoutSpec,
  mayServe,
  changeVersion,
  readLostRun,
  resolveSplit,
  release,
  type FirstInput,
} from './version.ts';
import { endByAbort, endByDeadline, endByWithdrawal, endUnserved, type RolloutInput } from './end.ts';
import { rebalance } from './rebalance.ts';
import { replan } from './replan.ts';
import { closeIdle, detachIdle } from './idle.ts';
import { closeServing } from './close.ts';
import { revert, removeGone, removeGoneMeanwhile } from './revert.ts';

type RolloutRule = Rule<[input: RolloutInput], Decision>;
type CellRules<Input> = Rules<[input: Input], Decision>;
type CompleteCellRules<Input> = CompleteRules<[input: Input], Decision>;

/** What the rules of a Cell go by that serves a version, and rolls out none. */
interface ServingInput extends FirstInput {
  readonly stable: VersionSet;
  /** What is done towards another version, or waits or closes the run because that cannot be done; undefined where none is to serve. */
  readonly next: Decision | undefined;
}

/** Whatever the Cell is at. */
export const cellRules: CellRules<GuardInput> = [
  ['A load balancer configuration that is being deleted is released', release],
  ['The load balancer is read where the objects may be outdated', inspectDoubtful],
];

/** Without a rollout. */
export const restRules: CellRules<GuardInput> = [
  ['What was refused waits for its backoff', ({ state, now }) => awaitBackoff(state, now)],
  ['What the load balancer serves already is adopted', adopt],
  ['The health of targets is read', checkTargets],
  ['The weight of a target group without healthy targets moves to the others of its version', evacuate],
  ['A rollout that is only in the status is continued', readLostRun],
  ['An invalid spec changes nothing', keepWithoutSpec],
];

/** Without a rollout, while nothing is served. */
export const firstRules: CompleteCellRules<FirstInput> = [
  [
    'The load balancer is read where it may serve already',
    (input) => (mayServe(input) ? inspect(input) : undefined),
  ],
  [
    'The version that served last is installed again',
    (input) => (mayServe(input) ? reinstall(input) : undefined),
  ],
  ['The first version is installed, or waited for', install],
];

/** Without a rollout, while a version serves. */
export const servingRules: CompleteCellRules<ServingInput> = [
  [
    'Another version falls back, rolls back or begins its rollout',
    ({ next }) => (isUnderWay(next) ? next : undefined),
  ],
  ['While that is held, target groups that are gone leave the rule', removeGoneWhileHeld],
  ['While that is held, an edit of the rule is applied', editWhileHeld],
  ['While that is held, idle target groups leave the rule', detachIdleWhileHeld],
  ['The other version waits, or there is no room for it', ({ next }) => next],
  [
    'The weight is spread over the target groups of the version that serves',
    (input) => rebalance(input, input.found.sets, input.stable),
  ],
  ['An edit of the rule is applied', (input) => editRule(input, input.stable.version)],
  ['Idle target groups leave the rule, and the run closes', closeRun],
];

/** What ends a rollout, unless it has ended. */
export const endingRules: CellRules<RolloutInput> = [
  ['An abort reverts', endByAbort],
  ['A rollout past its deadline reverts', endByDeadline],
  ['A rollout that the Cell no longer asks for is withdrawn', endByWithdrawal],
  ['A failed background analysis reverts', ofRollout(failureInBackground)],
  ['A canary without a healthy target reverts', ofRollout(failedByHealth)],
];

/** What goes before the steps of a rollout. */
export const rolloutRules: CellRules<RolloutInput> = [
  ['The load balancer is read where no object says what it serves', unlessRefused(inspect)],
  ['A rollout that has ended reverts', revertEnded],
  ['What the load balancer serves already is adopted', unlessRefused(adopt)],
  ['The health of targets is read', checkTargets],
  ['A rollout is withdrawn where nothing is served any more', unlessRefused(endUnserved)],
];

/** The steps of a rollout. */
export const stepRules: CompleteCellRules<RolloutInput> = [
  ['The background analysis is read', ofRollout(readBackground)],
  ['Stable target groups that are gone leave the rule', unlessRefused(ofRollout(removeGone))],
  [
    'The weight of a target group without healthy targets moves to the others of its version',
    unlessRefused(evacuate),
  ],
  ['A pause holds the rollout', holdPaused],
  ['What was refused waits for its backoff', ({ state, now }) => awaitBackoff(state, now)],
  ['Edited steps take effect', ofRollout(replan)],
  [
    'An edit of the rule is applied',
    gated((input) => reconfigure(input.observed, input.cell, input.rollout.canary.version)),
  ],
  [
    'The background analysis is started, or holds the rollout',
    gated((input) => attendBackground(findDueBackground(input.rollout, input), input.rollout, input.state)),
  ],
  ['The step is taken', gated(ofRollout(takeStep))],
];

/** Finds what is done towards another version than the one that serves. */
export function findNext(input: FirstInput, stable: VersionSet): ServingInput {
  const { found } = input;
  const next =
    fallBack(input, found, stable) ??
    resolveSplit(input, found, stable) ??
    changeVersion(input, found, stable);
  return { ...input, stable, next };
}

/** Whether what changes the version is done now, or has been begun and waits for healthy targets. */
const isUnderWay = (next: Decision | undefined): boolean =>
  next !== undefined && next.do !== 'Close' && (next.do !== 'Wait' || next.for === 'Health');

/** What carries traffic beside the stable version is on its way, and loses nothing to it. */
const isAlone = ({ stable, observed, cell }: ServingInput): boolean =>
  carriersBeside(stable, observed, cell).length === 0;

function revertEnded(input: RolloutInput): Decision | undefined {
  return input.rollout.ending === undefined ? undefined : revert(input.rollout, input);
}

function removeGoneWhileHeld(input: ServingInput): Decision | undefined {
  const { next: held, stable } = input;
  if ((held?.do !== 'Wait' && held?.do !== 'Close') || !isAlone(input)) return undefined;
  const out = removeGoneMeanwhile(held, stable, input);
  return out === held ? undefined : out;
}

function editWhileHeld(input: ServingInput): Decision | undefined {
  if (input.next === undefined) return undefined;
  const edited = editRule(input, input.stable.version);
  return edited?.do === 'Shift' ? edited : undefined;
}

function detachIdleWhileHeld(input: ServingInput): Decision | undefined {
  const { next: held, stable, observed, state } = input;
  if ((held?.do !== 'Wait' && held?.do !== 'Close') || !isAlone(input)) return undefined;
  // What nobody knows for sure is put right first.
  return isUnsure(observed, state) ? undefined : detachIdle(held, input, stable.version);
}

function closeRun(input: ServingInput): Decision {
  const close = closeServing(input, input.found, input.stable);
  return isUnsure(input.observed, input.state) ? close : closeIdle(close, input);
}

function ofRollout<Result extends Decision | undefined>(
  rule: (rollout: Rollout, input: GuardInput) => Result,
): (input: RolloutInput) => Result {
  return (input) => rule(input.rollout, input);
}

/** A rule that waits where something was refused that is tried again later. */
function unlessRefused(rule: RolloutRule): RolloutRule {
  return (input) => {
    const decision = rule(input);
    return decision && (awaitBackoff(input.state, input.now) ?? decision);
  };
}

/** A rule that Freezes, windows, clusters and applications hold. */
function gated<Result extends Decision | undefined>(
  rule: (input: RolloutInput) => Result,
): (input: RolloutInput) => Result | Decision {
  return (input) => {
    const decision = rule(input);
    return decision === undefined ? decision : gate(decision, input);
  };
}
