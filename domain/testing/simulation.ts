import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import type { AnalysisPhase, AnalysisVerdict } from '../analysis.ts';
import { isFinished } from '../analysis.ts';
import { decide } from '../decide.ts';
import type { Decision, Measurement } from '../decision.ts';
import { eventOf } from '../events.ts';
import type { Freezing } from '../freeze.ts';
import { goesForward } from '../gate.ts';
import { withKnown } from '../known.ts';
import type { ObservedCell, SelectedTargetGroup, ServedTargetGroup } from '../observation.ts';
import * as record from '../record.ts';
import { routeOf } from '../load-balancer.ts';
import * as measured from '../record-measurement.ts';
import { isWorthReporting, sameStatus } from '../report.ts';
import { ask, type RequestName } from '../requests.ts';
import { stableSet } from '../stable.ts';
import { initialState, type RolloutState } from '../state.ts';
import { statusOf } from '../status.ts';
import { unreachable } from '../unreachable.ts';
import { aCell, arnOf } from './builders.ts';

type Shift = Extract<Decision, { do: 'Shift' }>;

/** One write to the load balancer, with what was known when it was made. */
export interface SimulatedWrite {
  readonly shift: Shift;
  readonly before: readonly ServedTargetGroup[];
  readonly state: RolloutState;
  readonly spec: CellSpec;
  readonly selected: readonly SelectedTargetGroup[];
  /** The groups that were seen healthy since the write before. */
  readonly seenHealthy: ReadonlySet<string>;
  readonly at: number;
}

/** How often a run may decide before it waits or closes; more would be running in circles. */
const MOST_DECISIONS = 400;

/** The events that one thing adds to a Temporal history, with the workflow task after it; a timer is there from when it is waited for. */
export const EVENTS = { activity: 6, timer: 2, fired: 3, signal: 4, attributes: 1, start: 5 } as const;

const FRESH_MS = 10_000;

/**
 * A Cell with its load balancer, target groups and AnalysisRuns in memory, rolled out by the domain as the workflow
 * does it: look, decide, report, perform. Everything outside answers at once, and time passes only when it is told to.
 */
export class Simulation {
  now = Date.parse('2026-11-23T10:00:00Z');
  state: RolloutState = initialState;
  spec: CellSpec;
  generation = 1;
  groups: SelectedTargetGroup[] = [];
  served: readonly ServedTargetGroup[] = [];
  hosts: readonly string[] = [];
  status: CellStatus = {};
  freezes: readonly Freezing[] = [];
  readonly unhealthy = new Set<string>();
  readonly runs = new Map<string, AnalysisVerdict>();
  readonly writes: SimulatedWrite[] = [];
  isDeleted = false;
  /** Whether an object says what is served; somebody may have deleted it. */
  isKnown = true;
  /** How many of the next writes ELBv2 refuses. */
  refusals = 0;
  /** The last decision: what is waited for, or how the run closed. */
  last: Decision = { do: 'Close', outcome: 'Waiting', reason: 'New', message: '' };
  /** The events that the history of the run has so far. */
  events: number = EVENTS.start;
  #seenHealthy = new Set<string>();
  #observed: ObservedCell | undefined;
  #observedAt = 0;
  #rollouts = 0;

  constructor(spec: Partial<CellSpec> = {}) {
    const built = aCell().seen().cell;
    if (built === undefined) throw new Error('Expected the builder to make a Cell, got none.');
    this.spec = { ...built.spec, ...spec };
    this.hosts = this.#wantedHosts();
  }

  /** Adds target groups of a version. */
  provision(version: string, ...names: readonly string[]): void {
    this.groups = [
      ...this.groups.filter((group) => !names.includes(group.name)),
      ...names.map((name) => ({ name, arn: arnOf(name), version })),
    ];
  }

  /** Changes the spec, as `kubectl apply` does. */
  edit(change: (spec: CellSpec) => CellSpec): void {
    this.spec = change(this.spec);
    this.generation += 1;
  }

  /** Asks what an operator asks; a request that is refused changes nothing. */
  ask(action: RequestName): void {
    const base = action === 'retry' ? record.hurried(this.state, this.now) : this.state;
    this.state = ask(base, action, { by: 'ann', reason: '', at: this.now });
    this.events += EVENTS.signal;
  }

  /** Gives every AnalysisRun that measures still a verdict. */
  conclude(phase: AnalysisPhase, which: 'all' | 'inBackground' = 'all'): void {
    for (const [name, run] of this.runs) {
      const isMeant = which === 'all' || /^web-(bg|bake)-/.test(name);
      if (isFinished(run.phase) || !isMeant) continue;
      this.runs.set(name, { ...run, phase });
      this.state = measured.verdictExpected(this.state);
      this.events += EVENTS.signal;
    }
  }

  /** Forgets all that Temporal knows; what is in Kubernetes and in AWS stays. */
  loseTemporal(): void {
    this.state = initialState;
    this.#observed = undefined;
  }

  /** Something that the Cell depends on has changed. */
  wake(): void {
    this.state = record.hurried(this.state, this.now);
    this.#observed = undefined;
    this.events += EVENTS.signal;
  }

  /** Lets time pass, with every timer on the way, until a time or until the run closes. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let timers = 0; timers < 10_000; timers += 1) {
      this.run();
      const until = this.last.do === 'Wait' ? this.last.until : undefined;
      if (until === undefined || until > end) break;
      this.now = Math.max(this.now + 1, until);
      this.events += EVENTS.fired;
    }
    this.now = Math.max(this.now, end);
    this.run();
  }

  /** Decides and performs until there is something to wait for, or nothing left to do. */
  run(): void {
    for (let decisions = 0; decisions < MOST_DECISIONS; decisions += 1) {
      const observed = this.#observed ?? this.#look();
      const decision = decide(observed, this.state, this.now);
      if (goesForward(decision) && this.now - this.#observedAt > FRESH_MS) {
        this.#observed = undefined;
        continue;
      }
      const timed = record.timed(this.state, decision, this.now);
      this.state = record.announced(timed, decision, observed);
      const blocks = this.state.justBlocked !== undefined;
      this.#report(observed, decision);
      if (blocks && this.state.justBlocked === undefined) this.#observed = undefined;
      const isNew = JSON.stringify(decision) !== JSON.stringify(this.last);
      this.last = decision;
      if (decision.do === 'Wait') {
        if (isNew && decision.until !== undefined) this.events += EVENTS.timer;
        return;
      }
      if (decision.do === 'Close') {
        if (this.#observed === undefined) continue;
        this.state = initialState;
        this.#observed = undefined;
        return;
      }
      this.#perform(decision, observed);
    }
    throw new Error(`Expected a wait or an end after ${MOST_DECISIONS} decisions, got ${this.last.do}.`);
  }

  #look(): ObservedCell {
    const served = this.isKnown ? this.served : [];
    const route = routeOf(this.spec);
    const serving =
      route?.type === 'AWSApplicationLoadBalancer' && served.length > 0
        ? { serving: { ...route, rule: { ...route.rule, hosts: [...this.hosts] }, targetGroups: served } }
        : {};
    const observed: ObservedCell = {
      key: { namespace: 'default', name: 'web' },
      ...(this.isDeleted
        ? {}
        : {
            cell: {
              uid: 'uid-1',
              generation: this.generation,
              spec: this.spec,
              status: this.status,
              problems: [],
            },
          }),
      digest: 'digest',
      selected: this.groups,
      freezes: this.freezes,
      served,
      ...serving,
      sequence: this.writes.length,
    };
    this.events += EVENTS.activity;
    this.#observedAt = this.now;
    this.#observed = withKnown(observed, this.state);
    return this.#observed;
  }

  #report(observed: ObservedCell, decision: Decision): void {
    const { cell } = observed;
    if (cell === undefined || !isWorthReporting(decision)) return;
    const workflow = { workflowId: 'cell/default/web', runId: 'run' };
    const { state, now } = this;
    const status = statusOf({ observed, cell, state, decision, workflow, now });
    const before = state.reported ?? cell.status;
    if (state.events.length > 0 || !sameStatus(before, status)) this.events += EVENTS.activity;
    if (before.phase !== status.phase || before.desiredVersion !== status.desiredVersion)
      this.events += EVENTS.attributes;
    // What travels to the API server and back is JSON.
    this.status = JSON.parse(JSON.stringify(status)) as CellStatus;
    this.state = JSON.parse(JSON.stringify(record.reported(state, status))) as RolloutState;
  }

  #perform(decision: Exclude<Decision, { do: 'Wait' } | { do: 'Close' }>, observed: ObservedCell): void {
    const event = eventOf(decision);
    const before = this.state;
    this.state = this.#performed(decision, observed);
    const refused = this.state.hold !== undefined && this.state.hold !== before.hold;
    if (event !== undefined && !refused) this.state = record.noted(this.state, event);
  }

  #performed(
    decision: Exclude<Decision, { do: 'Wait' } | { do: 'Close' }>,
    observed: ObservedCell,
  ): RolloutState {
    const { state, now } = this;
    const { cell } = observed;
    if (cell === undefined) throw new Error('Expected a Cell, got none.');
    switch (decision.do) {
      case 'Begin':
        this.#rollouts += 1;
        return record.began(state, decision, { id: `r${this.#rollouts}`, cell, now });
      case 'Shift':
        return this.#shift(decision, observed);
      case 'Inspect':
        this.events += EVENTS.activity;
        return record.inspected(
          state,
          this.served.length === 0 ? { is: 'Nothing' } : { is: 'Serving', targetGroups: this.served },
        );
      case 'CheckHealth':
        this.events += EVENTS.activity;
        return record.healthRead(state, this.#healthOf(decision.targetGroupARNs), {
          minHealthyTargets: cell.spec.minHealthyTargets,
          now,
        });
      case 'Pause':
        return record.paused(state, now);
      case 'Bake':
        return record.baking(state, now);
      case 'Advance':
        return record.advanced(state);
      case 'Replan':
        return record.replanned(state, decision, cell);
      case 'End':
        return record.ending(state, decision);
      case 'Conclude':
        this.#observed = undefined;
        return record.concluded(state, cell, now);
      case 'Finish':
        this.#observed = undefined;
        return record.finished(state, now);
      default:
        this.events += EVENTS.activity;
        return this.#measured(decision);
    }
  }

  #measured(decision: Measurement): RolloutState {
    const { state, now } = this;
    switch (decision.do) {
      case 'StartAnalysis':
        return measured.analysed(state, this.#start(`${state.rollout?.index}`), now);
      case 'ReadAnalysis':
        return measured.analysed(state, this.#read(decision.run), now);
      case 'EndAnalysis':
        this.#end(decision.run);
        return measured.measurementEnded(state);
      case 'StartExperiment':
        return measured.experimented(state, this.#start(`${state.rollout?.index}`), now);
      case 'ReadExperiment':
        return measured.experimented(state, this.#read(decision.experiment), now);
      case 'EndExperiment':
        this.#end(decision.experiment);
        return measured.measurementEnded(state);
      case 'StartBackground': {
        const { prefix } = decision;
        return measured.backgroundStarted(state, { prefix, verdict: this.#start(prefix) }, now);
      }
      case 'ReadBackground':
        return measured.backgroundRead(state, this.#read(decision.run), now);
      case 'EndBackground':
        return measured.backgroundEnded(state, this.#end(decision.run), now);
      case 'WaiveBackground':
        return measured.backgroundWaived(state);
      default:
        return unreachable(decision);
    }
  }

  /** What is started anew under a name that is there already is the same one. */
  #start(step: string): AnalysisVerdict {
    const { id = '', edition = 0 } = this.state.rollout ?? {};
    const name = `web-${step}-${id}-${edition}`;
    const verdict = this.runs.get(name) ?? { name, phase: 'Running', message: '' };
    this.runs.set(name, verdict);
    return verdict;
  }

  #end(name: string): AnalysisVerdict {
    const run = this.#read(name);
    if (!isFinished(run.phase)) this.runs.set(name, { ...run, phase: 'Successful' });
    return run;
  }

  #shift(shift: Shift, observed: ObservedCell): RolloutState {
    const { state, now } = this;
    this.#observed = undefined;
    this.events += EVENTS.activity;
    if (this.refusals > 0) {
      this.refusals -= 1;
      const failure = { during: shift.do, reason: 'Throttled', message: 'Rate exceeded.' };
      return record.refused(state, failure, { now, longestMs: shift.urgent ? 15_000 : 600_000 });
    }
    this.writes.push({
      shift,
      before: this.served,
      state,
      spec: this.spec,
      selected: this.groups,
      seenHealthy: this.#seenHealthy,
      at: now,
    });
    this.#seenHealthy = new Set();
    const from = observed.cell === undefined ? undefined : stableSet(observed, observed.cell)?.version;
    this.served = shift.shares;
    this.isKnown = true;
    this.hosts = this.#wantedHosts();
    return record.shifted(state, shift, { from, now });
  }

  #healthOf(arns: readonly string[]): Parameters<typeof record.healthRead>[1] {
    for (const arn of arns) if (!this.unhealthy.has(arn)) this.#seenHealthy.add(arn);
    return arns.map((targetGroupARN) => ({
      targetGroupARN,
      healthy: this.unhealthy.has(targetGroupARN) ? 0 : 1,
      total: 1,
      others: '',
    }));
  }

  #read(name: string): AnalysisVerdict {
    return this.runs.get(name) ?? { name, phase: 'Error', message: 'It is gone.' };
  }

  #wantedHosts(): readonly string[] {
    return this.spec.ingress.awsApplicationLoadBalancer?.listener?.rule.hosts ?? [];
  }
}
