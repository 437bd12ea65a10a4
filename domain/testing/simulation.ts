import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import type { AnalysisPhase, AnalysisVerdict } from '../rollout/analysis.ts';
import { isFinished } from '../rollout/analysis.ts';
import type { Freezing } from '../gates/freeze.ts';
import type { TargetHealth } from '../gates/health.ts';
import { routeOf, type Route } from '../load-balancers/load-balancer.ts';
import { sameShares } from '../load-balancers/weights.ts';
import type { Close, Decision, Measurement, Performable, Shift } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import { type RequestName } from '../model/request.ts';
import { initialState, type LostRun, type RolloutState } from '../model/state.ts';
import type { SelectedTargetGroup, WeightedTargetGroup } from '../model/target-group.ts';
import { performedOf, type Attempt } from '../rollout/attempt.ts';
import {
  carryOutRecorded,
  isRecorded,
  kept,
  tookUp,
  type CarriedOut,
  type Change,
  type Recorded,
} from '../rollout/performed.ts';
import * as record from '../rollout/record.ts';
import * as holds from '../rollout/record-backoff.ts';
import { lostRunRead } from '../rollout/record-lost.ts';
import * as measured from '../rollout/record-measurement.ts';
import { changed, couldNotSee, isTold, requested, runFrom, saw, type Run } from '../rollout/run.ts';
import { shiftDone, shiftRequest, type ShiftResult } from '../rollout/shift.ts';
import { dueReport, takeTurn, told } from '../rollout/turn.ts';
import type { PresentCell } from '../versions/candidate.ts';
import { aCell, arnOf } from './builders.ts';

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
 * A Cell with its load balancer, target groups and AnalysisRuns in memory, which takes the turns of the workflow and
 * answers them itself. Everything outside answers at once, and time passes only when it is told to.
 */
export class Simulation {
  now = Date.parse('2026-11-23T10:00:00Z');
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

  /** What the workflow remembers. */
  get state(): RolloutState {
    return this.#run.state;
  }

  set state(state: RolloutState) {
    this.#run = { ...this.#run, state };
  }

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
  #run: Run = runFrom(initialState);
  #sequence = 0;
  #asked: readonly WeightedTargetGroup[] = [];
  #rollouts = 0;

  constructor(spec: Partial<CellSpec> = {}) {
    const built = aCell().seen().cell;
    if (built === undefined) throw new Error('Expected the builder to make a Cell, got none.');
    this.spec = { ...built.spec, ...spec };
    this.hosts = hostsOf(routeOf(this.spec));
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
    this.#run = requested(this.#run, action, { by: 'ann', reason: '', at: this.now });
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
    this.#run = runFrom(initialState);
  }

  /** Something that the Cell depends on has changed. */
  wake(): void {
    this.#run = changed(this.#run, this.now);
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

  /** Takes turns until there is something to wait for, or nothing left to do. */
  run(): void {
    for (let decisions = 0; decisions < MOST_DECISIONS; decisions += 1) {
      const turn = takeTurn(this.#run, this.now);
      if (turn.is === 'Look') {
        this.#look();
        continue;
      }
      this.#run = turn.run;
      const { decision } = turn;
      this.#report(decision);
      const isNew = JSON.stringify(decision) !== JSON.stringify(this.last);
      this.last = decision;
      if (turn.is === 'Perform') {
        this.#perform(turn.decision, turn.observed);
        continue;
      }
      if (decision.do === 'Close') {
        if (!isTold(this.#run)) continue;
        this.#run = runFrom(initialState);
        return;
      }
      if (this.state.unreported !== turn.run.state.unreported) continue;
      if (isNew && turn.decision.do === 'Wait' && turn.decision.until !== undefined)
        this.events += EVENTS.timer;
      return;
    }
    throw new Error(`Expected a wait or an end after ${MOST_DECISIONS} decisions, got ${this.last.do}.`);
  }

  #look(): void {
    this.events += EVENTS.activity;
    const { now } = this;
    if (this.isBlind) {
      const failure = { reason: 'AccessDenied', message: 'The API server refuses.' };
      this.#run = couldNotSee(this.#run, failure, now);
      return;
    }
    this.#run = saw(this.#run, this.#seen(), { upTo: this.#run.changes, now });
  }

  #seen(): ObservedCell {
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
    return {
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
  }

  #report(decision: Decision): void {
    const { now } = this;
    const sent = this.#run;
    const workflow = { workflowId: 'cell/default/web', runId: 'run' };
    const due = dueReport(sent, decision, { workflow, now });
    if (due === undefined || due.is === 'Later') return;
    if (due.is === 'New') this.events += EVENTS.activity;
    if (due.is === 'New' && due.isNewPhase) this.events += EVENTS.attributes;
    if (due.is === 'New' && this.isMute) {
      const failure = { reason: 'InvalidObject', message: 'The API server refuses the status.' };
      this.state = holds.reportRefused(this.state, failure, now);
      return;
    }
    // What travels to the API server and back is JSON.
    this.status = JSON.parse(JSON.stringify(due.status)) as CellStatus;
    const next = told(sent, sent, due.status);
    this.#run = { ...next, state: JSON.parse(JSON.stringify(next.state)) as RolloutState };
  }

  #perform(decision: Performable, observed: ObservedCell): void {
    const { now } = this;
    const upTo = this.#run.changes;
    const done = performedOf(decision, this.#attempt(decision, observed), observed);
    this.#run = tookUp(this.#run, done, { upTo, now });
  }

  #attempt(decision: Performable, observed: ObservedCell): Attempt {
    const { cell } = observed;
    if (cell === undefined) throw new Error('Expected a Cell, got none.');
    if (isRecorded(decision)) return carriedOut(carryOutRecorded(decision, cell));
    switch (decision.do) {
      case 'Begin': {
        this.#rollouts += 1;
        const id = `r${this.#rollouts}`;
        return done((state, now) => record.began(state, decision, { id, cell, now }));
      }
      case 'Remove':
      case 'Release':
        throw new Error(`Expected no finalizer, got ${decision.do}.`);
      default:
        this.events += EVENTS.activity;
        return this.#answer(decision, { observed, cell });
    }
  }

  #answer(
    decision: Exclude<Performable, Recorded | { do: 'Begin' | 'Remove' | 'Release' }>,
    { observed, cell }: { readonly observed: ObservedCell; readonly cell: PresentCell },
  ): Attempt {
    const { served } = this;
    switch (decision.do) {
      case 'Shift':
        return this.#shift(decision, observed, cell);
      case 'Inspect':
        return done((state) =>
          record.inspected(
            state,
            served.length === 0 ? { is: 'Nothing' } : { is: 'Serving', targetGroups: served },
          ),
        );
      case 'CheckIdle': {
        const health = this.#healthOf(decision.targetGroupARNs);
        return done((state, now) => holds.idleRead(state, health, now));
      }
      case 'Prune':
        return done(measured.pruned);
      case 'ReadLostRun': {
        const { lostRun } = this;
        return done((state, now) => lostRunRead(state, cell, lostRun, now));
      }
      default:
        return this.#measured(decision);
    }
  }

  #measured(decision: Measurement): Attempt {
    switch (decision.do) {
      case 'StartMeasurement': {
        if (this.lacksTemplates && decision.kind === 'AnalysisRun' && decision.background === undefined) {
          const reason = 'AnalysisTemplateNotFound';
          return { is: 'Refused', refusal: { reason, message: 'There is none.', permanent: true } };
        }
        const verdict = this.#start(decision.background ?? `${this.state.rollout?.index}`);
        return done((state, now) => measured.measured(state, decision, verdict, now));
      }
      case 'ReadMeasurement': {
        const verdict = this.#read(decision.name);
        return done((state, now) => measured.measured(state, decision, verdict, now));
      }
      case 'TerminateMeasurement': {
        const verdict = this.#end(decision.name);
        return done((state, now) => measured.terminated(state, decision, verdict, now));
      }
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

  #shift(shift: Shift, observed: ObservedCell, cell: PresentCell): Attempt {
    const { now, state, served } = this;
    const route = routeOf(this.spec);
    if (route === undefined) throw new Error('Expected the Cell to have a load balancer, got none.');
    const request = shiftRequest(shift, { observed, cell, state, route });
    const answered = (result: ShiftResult): Attempt =>
      carriedOut(shiftDone(shift, request, result, { observed, cell }));
    const lacking = this.#lackOf(shift);
    if (lacking !== undefined) return answered({ is: 'Lacking', ...lacking });
    const waitMs = this.budgetMs.shift();
    if (waitMs !== undefined)
      return answered({ is: 'NotYet', ticket: { urgent: shift.urgent, number: 1 }, waitMs });
    this.#sequence = request.sequence;
    const hosts = hostsOf(request.forwarding);
    const isSame = sameShares(shift.verify === true ? served : this.told, shift.shares);
    const isWritten = hosts.join() !== this.hosts.join() || !isSame;
    this.#asked = shift.shares;
    this.isApplied = false;
    this.isKnown = true;
    if (isWritten && this.refusals > 0) {
      this.refusals -= 1;
      return refused('Throttled', 'Rate exceeded.');
    }
    if (isWritten)
      this.writes.push({
        shift,
        before: this.served,
        state: { ...state, sequence: request.sequence },
        spec: this.spec,
        selected: this.groups,
        seenHealthy: this.#seenHealthy,
        at: now,
      });
    this.#seenHealthy = new Set();
    this.served = shift.shares;
    if (isWritten && this.lateRefusals > 0) {
      this.lateRefusals -= 1;
      return refused('Unavailable', 'Internal error.');
    }
    this.told = shift.shares;
    this.isApplied = true;
    this.hosts = hosts;
    return answered({ is: 'Served', ...(this.isBlind ? {} : { observed: this.#seen() }) });
  }

  #lackOf({ requires }: Shift): Omit<Extract<ShiftResult, { is: 'Lacking' }>, 'is'> | undefined {
    const { healthy = [], registered = [] } = requires ?? {};
    const lacking =
      this.#healthOf(healthy).some((one) => one.healthy === 0) ||
      registered.some((arn) => this.empty.has(arn));
    return lacking ? { targetGroupARNs: [...healthy, ...registered], lack: 'Expected a target.' } : undefined;
  }

  #healthOf(arns: readonly string[]): readonly TargetHealth[] {
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
}

/** The hosts that a rule is for; a Network Load Balancer has no rule. */
const hostsOf = (route: Route | undefined): readonly string[] =>
  route?.type === 'AWSApplicationLoadBalancer' ? (route.rule.hosts ?? []) : [];

const carriedOut = (done: CarriedOut): Attempt => ({ is: 'CarriedOut', done });
const done = (apply: Change): Attempt => carriedOut(kept(apply));
const refused = (reason: string, message: string): Attempt => ({
  is: 'Refused',
  refusal: { reason, message, permanent: false },
});
