import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import type { AnalysisPhase, AnalysisVerdict } from '../rollout/analysis.ts';
import { isFinished } from '../rollout/analysis.ts';
import type { Close, Decision, Measurement } from '../model/decision.ts';
import { eventOf } from '../rollout/events.ts';
import type { Freezing } from '../gates/freeze.ts';
import { withKnown, withReported } from '../model/known.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { SelectedTargetGroup, WeightedTargetGroup } from '../model/target-group.ts';
import * as record from '../rollout/record.ts';
import * as holds from '../rollout/record-backoff.ts';
import { lostRunRead } from '../rollout/record-lost.ts';
import { routeOf } from '../load-balancers/load-balancer.ts';
import * as measured from '../rollout/record-measurement.ts';
import { isWorthReporting, sameStatus } from '../rollout/report.ts';
import { ask } from '../model/requests.ts';
import { type RequestName } from '../model/request.ts';
import { stableSet } from '../versions/stable.ts';
import { initialState, type LostRun, type RolloutState } from '../model/state.ts';
import { sameShares } from '../load-balancers/weights.ts';
import { statusOf } from '../rollout/status.ts';
import { takeTurn } from '../rollout/turn.ts';
import { aCell, arnOf } from './builders.ts';

type Shift = Extract<Decision, { do: 'Shift' }>;

/** Changes of weights that leave the rule as it was otherwise (workflows/shift.ts). */
const keepingRoute: ReadonlySet<Shift['purpose']> = new Set(['TakeBack', 'Restore', 'Detach', 'TakeOut']);

/** One write to the load balancer, with what was known when it was made. */
export interface SimulatedWrite {
  readonly shift: Shift;
  readonly before: readonly WeightedTargetGroup[];
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
  /** What ELBv2 serves. */
  served: readonly WeightedTargetGroup[] = [];
  /** What the status of the configuration says is served; it may be behind. */
  told: readonly WeightedTargetGroup[] = [];
  /** Whether the status of the configuration says that ELBv2 serves what is asked for. */
  isApplied = true;
  hosts: readonly string[] = [];
  status: CellStatus = {};
  freezes: readonly Freezing[] = [];
  readonly unhealthy = new Set<string>();
  /** The groups without any registered target. */
  readonly empty = new Set<string>();
  readonly runs = new Map<string, AnalysisVerdict>();
  readonly writes: SimulatedWrite[] = [];
  isDeleted = false;
  /** Whether an object says what is served; someone may have deleted it. */
  isKnown = true;
  /** Whether the templates of what measures are missing. */
  lacksTemplates = false;
  /** How many of the next writes ELBv2 refuses. */
  refusals = 0;
  /** How many of the next writes ELBv2 applies, and answers with an error. */
  lateRefusals = 0;
  /** Whether the API server refuses to be read, or to have the status written. */
  isBlind = false;
  isMute = false;
  /** What the budget makes the next writes wait for, in milliseconds. */
  budgetMs: number[] = [];
  /** How someone has ended the last run. */
  lostRun: LostRun = { is: 'Unknown' };
  /** How the Cell stands, whatever is left to do at rest; undefined while it does not stand yet. */
  get settled(): Close | undefined {
    const { last } = this;
    return last.do === 'Close' ? last : last.do === 'Wait' ? last.settled : undefined;
  }

  /** The last decision: what is waited for, or how the run closed. */
  last: Decision = { do: 'Close', outcome: 'Waiting', reason: 'New', message: '' };
  /** The events that the history of the run has so far. */
  events: number = EVENTS.start;
  #seenHealthy = new Set<string>();
  #observed: ObservedCell | undefined;
  #observedAt = 0;
  #isStale = true;
  #sequence = 0;
  #asked: readonly WeightedTargetGroup[] = [];
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
    const base = action === 'retry' ? holds.hurried(this.state, this.now) : this.state;
    if (action === 'retry') this.#isStale = true;
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
  loseTemporal(lostRun: LostRun = { is: 'Unknown' }): void {
    this.lostRun = lostRun;
    this.state = initialState;
    this.#observed = undefined;
  }

  /** Something that the Cell depends on has changed. */
  wake(): void {
    this.state = holds.hurried(this.state, this.now);
    this.#isStale = true;
    this.events += EVENTS.signal;
  }

  /** Lets time pass, with every timer on the way, until a time or until the run closes. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let timers = 0; timers < 400; timers += 1) {
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
      const observed = this.#observed;
      const isStale = this.#isStale;
      const turn = takeTurn({ observed, observedAt: this.#observedAt, isStale }, this.state, this.now);
      if (turn.is === 'Look') {
        this.#look();
        continue;
      }
      const { decision } = turn;
      this.state = turn.state;
      const blocks = this.state.justBlocked !== undefined;
      const { unreported } = this.state;
      if (observed !== undefined) this.#report(observed, decision);
      if (blocks && this.state.justBlocked === undefined) this.#isStale = true;
      const isNew = JSON.stringify(decision) !== JSON.stringify(this.last);
      this.last = decision;
      if (decision.do === 'Wait') {
        if (this.state.unreported !== unreported) continue;
        if (isNew && decision.until !== undefined) this.events += EVENTS.timer;
        return;
      }
      if (decision.do === 'Close') {
        if (this.#isStale || this.state.unreported !== undefined) continue;
        this.state = initialState;
        this.#observed = undefined;
        return;
      }
      if (observed === undefined) throw new Error(`Expected a look before ${decision.do}, got none.`);
      this.#perform(decision, observed);
    }
    throw new Error(`Expected a wait or an end after ${MOST_DECISIONS} decisions, got ${this.last.do}.`);
  }

  #look(): void {
    this.events += EVENTS.activity;
    if (this.isBlind) {
      const failure = { reason: 'AccessDenied', message: 'The API server refuses.' };
      this.state = holds.unseen(this.state, failure, this.now);
      return;
    }
    this.#see();
    if (this.#observed !== undefined) this.state = holds.sighted(this.state, this.#observed);
  }

  #see(): void {
    const served = this.isKnown ? this.told : [];
    const route = routeOf(this.spec);
    const serving =
      route?.type === 'AWSApplicationLoadBalancer' && served.length > 0
        ? {
            observedForwarding: {
              ...route,
              rule: { ...route.rule, hosts: [...this.hosts] },
              targetGroups: served,
            },
          }
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
      weighted: served,
      ...serving,
      isApplied: !this.isKnown || this.isApplied,
      ...(this.isKnown && this.#asked.length > 0 ? { desired: this.#asked } : {}),
      sequence: this.#sequence,
    };
    this.#observedAt = this.now;
    this.#isStale = false;
    this.#observed = withKnown(observed, this.state);
  }

  #report(observed: ObservedCell, decision: Decision): void {
    const { cell } = observed;
    if (cell === undefined || !isWorthReporting(decision)) return;
    const workflow = { workflowId: 'cell/default/web', runId: 'run' };
    const { state, now } = this;
    const status = statusOf({ observed, cell, state, decision, workflow, now });
    const before = state.reported ?? cell.status;
    const isNew = state.events.length > 0 || !sameStatus(before, status);
    if (isNew && state.unreported !== undefined && now < state.unreported.until) return;
    if (isNew) this.events += EVENTS.activity;
    if (isNew && this.isMute) {
      const failure = { reason: 'InvalidObject', message: 'The API server refuses the status.' };
      this.state = holds.reportRefused(state, failure, now);
      return;
    }
    if (before.phase !== status.phase || before.desiredVersion !== status.desiredVersion)
      this.events += EVENTS.attributes;
    // What travels to the API server and back is JSON.
    this.status = JSON.parse(JSON.stringify(status)) as CellStatus;
    this.state = JSON.parse(JSON.stringify(record.reported(state, state, status))) as RolloutState;
    this.#observed = withReported(observed, this.status);
  }

  #perform(decision: Exclude<Decision, { do: 'Wait' } | { do: 'Close' }>, observed: ObservedCell): void {
    const event = eventOf(decision);
    const before = this.state;
    this.state = this.#performed(decision, observed);
    const refused = this.state.backoff !== undefined && this.state.backoff !== before.backoff;
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
      case 'CheckIdle':
        this.events += EVENTS.activity;
        return holds.idleRead(state, this.#healthOf(decision.targetGroupARNs), now);
      case 'Prune':
        this.events += EVENTS.activity;
        return measured.pruned(state);
      case 'ReadLostRun':
        this.events += EVENTS.activity;
        return lostRunRead(state, cell, this.lostRun, now);
      case 'Remove':
      case 'Release':
        throw new Error(`Expected no finalizer, got ${decision.do}.`);
      case 'Pause':
        return record.paused(state, now);
      case 'Bake':
        return record.baking(state, now);
      case 'Advance':
        return record.advanced(state);
      case 'WaiveBackground':
        return measured.backgroundWaived(state);
      case 'Replan':
        return record.replanned(state, decision, cell);
      case 'End':
        return record.ending(state, decision, cell);
      case 'Conclude':
        this.#isStale = true;
        return record.concluded(state, now);
      case 'Finish':
        this.#isStale = true;
        return record.finished(state, now);
      default:
        this.events += EVENTS.activity;
        return this.#measured(decision);
    }
  }

  #measured(decision: Measurement): RolloutState {
    const { state, now } = this;
    switch (decision.do) {
      case 'StartMeasurement':
        if (this.lacksTemplates && decision.kind === 'AnalysisRun' && decision.background === undefined) {
          const missing = { reason: 'AnalysisTemplateNotFound', message: 'There is none.' };
          return holds.refused(state, { during: decision.do, ...missing }, { now, longestMs: 600_000 });
        }
        return measured.measured(
          state,
          decision,
          this.#start(decision.background ?? `${state.rollout?.index}`),
          now,
        );
      case 'ReadMeasurement':
        return measured.measured(state, decision, this.#read(decision.name), now);
      case 'TerminateMeasurement':
        return measured.terminated(state, decision, this.#end(decision.name), now);
    }
  }

  /** What is started again under a name that is there already is the same one. */
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
    const { now } = this;
    this.events += EVENTS.activity;
    const lacking = this.#lackOf(shift);
    if (lacking !== undefined) return holds.lacking(this.state, lacking, now);
    const wait = this.budgetMs.shift();
    if (wait !== undefined) {
      const ticket = { urgent: shift.urgent, number: 1 };
      return holds.waitingForBudget(this.state, { ticket, urgent: shift.urgent, notBefore: now + wait });
    }
    this.#sequence += 1;
    const state: RolloutState = { ...this.state, sequence: this.#sequence };
    const { served } = this;
    const keepsHosts = keepingRoute.has(shift.purpose) || this.hosts.join() === this.#wantedHosts().join();
    const isWritten = !keepsHosts || !sameShares(shift.verify === true ? served : this.told, shift.shares);
    this.#asked = shift.shares;
    this.isApplied = false;
    this.isKnown = true;
    this.#isStale = true;
    if (isWritten && this.refusals > 0) {
      this.refusals -= 1;
      return this.#refused(state, shift, { reason: 'Throttled', message: 'Rate exceeded.' });
    }
    if (isWritten)
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
    this.served = shift.shares;
    if (isWritten && this.lateRefusals > 0) {
      this.lateRefusals -= 1;
      return this.#refused(state, shift, { reason: 'Unavailable', message: 'Internal error.' });
    }
    return this.#confirmed(state, shift, observed);
  }

  #refused(
    state: RolloutState,
    { do: during, purpose, urgent }: Shift,
    failure: { readonly reason: string; readonly message: string },
  ): RolloutState {
    const quiet = purpose === 'Detach' ? { quiet: true as const } : {};
    const at = { now: this.now, longestMs: urgent ? 2_000 : 15_000 };
    return holds.refused(state, { during, purpose, ...failure, ...quiet }, at);
  }

  #confirmed(state: RolloutState, shift: Shift, observed: ObservedCell): RolloutState {
    const from = observed.cell === undefined ? undefined : stableSet(observed, observed.cell)?.version;
    this.told = shift.shares;
    this.isApplied = true;
    if (!keepingRoute.has(shift.purpose)) this.hosts = this.#wantedHosts();
    const next = record.shifted(state, shift, { from, left: observed.cell?.status ?? {}, now: this.now });
    if (!this.isBlind) {
      this.state = next;
      this.#see();
    } else if (this.#observed !== undefined) {
      this.#observed = { ...this.#observed, weighted: shift.shares, isApplied: true };
    }
    return next;
  }

  #lackOf({ requires }: Shift): Parameters<typeof holds.lacking>[1] | undefined {
    const { healthy = [], registered = [] } = requires ?? {};
    const lacking =
      this.#healthOf(healthy).some((one) => one.healthy === 0) ||
      registered.some((arn) => this.empty.has(arn));
    return lacking ? { targetGroupARNs: [...healthy, ...registered], lack: 'Expected a target.' } : undefined;
  }

  #healthOf(arns: readonly string[]): Parameters<typeof holds.idleRead>[1] {
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
