import type { CellStatus } from '../../crds/cell.ts';
import { type AnalysisPhase, isFinished } from '../rollout/measure/analysis.ts';
import type { Close, Decision, Performable } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { RequestName } from '../model/request.ts';
import { initialState, type LostRun, type RolloutState } from '../model/state.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import { countApproval, standOf } from '../rollout/record/approval.ts';
import { recordAttempt } from '../rollout/record/attempt.ts';
import type { ReportedEvent } from '../rollout/report/events.ts';
import { isRecorded, applyPerformed } from '../rollout/record/performed.ts';
import * as holds from '../rollout/record/backoff.ts';
import * as measured from '../rollout/record/measurement.ts';
import {
  markChanged,
  recordFailedLook,
  markDrifted,
  handOver,
  isReported,
  recordRequest,
  newRun,
  recordLook,
  markTargetsChanged,
  type Run,
} from '../rollout/record/run.ts';
import { dueReport, takeTurn, recordReport } from '../rollout/turn.ts';
import { sameShares } from '../load-balancers/weights.ts';
import { SimulatedListener } from './simulated-listener.ts';
import { SimulatedWorld } from './simulated-world.ts';

/** How often a run may decide before it waits or closes; more would be running in circles. */
const MOST_DECISIONS = 400;

/** The events that one thing adds to a Temporal history, with the workflow task after it; a timer is there from when it is waited for. */
export const EVENTS = { activity: 6, timer: 2, fired: 3, signal: 4, attributes: 1, start: 5 } as const;

/**
 * A Cell with its load balancer, target groups and AnalysisRuns in memory, which takes the turns of the workflow and
 * answers them itself. Everything outside answers at once, and time passes only when it is told to.
 */
export class Simulation extends SimulatedWorld {
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
  /** The Kubernetes Events that were emitted. */
  readonly emitted: ReportedEvent[] = [];
  /** The events that the history of the run has so far. */
  events: number = EVENTS.start;
  #run: Run = newRun(initialState);
  #sick = '';

  /** Asks what an operator asks; a request that is refused changes nothing. */
  ask(action: RequestName): void {
    this.#run = recordRequest(this.#run, action, { by: 'ann', reason: '', at: this.now });
    this.events += EVENTS.signal;
  }

  /** Approves, as someone whom Kubernetes lets; answers why that does not count. */
  approve(by: string, ...groups: readonly string[]): string | undefined {
    const counted = countApproval(
      this.state,
      { by, groups, reason: '', at: this.now },
      standOf(this.state.rollout),
    );
    if (typeof counted === 'string') return counted;
    this.state = counted.state;
    this.events += EVENTS.signal + EVENTS.activity;
    return undefined;
  }

  /** Gives every AnalysisRun that measures still a verdict. */
  conclude(phase: AnalysisPhase, which: 'all' | 'inBackground' = 'all'): void {
    for (const [name, run] of this.runs) {
      const isMeant = which === 'all' || /^web-(bg|bake)-/.test(name);
      if (isFinished(run.phase) || !isMeant) continue;
      this.runs.set(name, { ...run, phase });
      this.state = measured.markVerdictDue(this.state);
      this.events += EVENTS.signal;
    }
  }

  /** Forgets all that Temporal knows; what is in Kubernetes and in AWS stays. */
  loseTemporal(lostRun: LostRun = { is: 'Unknown' }): void {
    this.lostRun = lostRun;
    this.#run = newRun(initialState);
  }

  /** Takes a backup of Temporal; what is returned restores it, as if nothing had happened since. */
  backUpTemporal(): () => void {
    const backup = this.#run;
    return () => {
      this.#run = { ...backup, changes: backup.changes + 1 };
    };
  }

  /** Another run continues with what this one hands over, as Temporal keeps it. */
  renew(): void {
    const { state, observed } = JSON.parse(JSON.stringify(handOver(this.#run))) as ReturnType<
      typeof handOver
    >;
    this.#run = newRun(state, observed);
    this.events = EVENTS.start;
  }

  /** Something that the Cell depends on has changed. */
  override wake(): void {
    this.#run = markChanged(this.#run, this.now);
    this.events += EVENTS.signal;
  }

  /** Someone changes the weights at the load balancer by hand, and a look there tells of it. */
  drift(shares: readonly WeightedTargetGroup[]): void {
    this.served = shares;
    this.#run = markDrifted(this.#run, this.now);
    this.events += EVENTS.signal;
  }

  /** A look at the listener tells of a rule that is another than the status of the configuration says, or someone else's. */
  lookForDrift(): void {
    const { ruleNamed, isKnown, key } = this;
    if (!isKnown || this.told.length === 0) return;
    const isOurs = ruleNamed?.owner === undefined || ruleNamed.owner === SimulatedListener.tagOf(key);
    if (isOurs && ruleNamed !== undefined && sameShares(this.told, ruleNamed.shares)) return;
    this.#run = markDrifted(this.#run, this.now);
    this.events += EVENTS.signal;
  }

  /** A look at the listener reports that a group that carries traffic has lost its last healthy target, or has one again. */
  lookForHealth(): void {
    const sick = this.served.filter(({ arn, weight }) => weight > 0 && this.health(arn).healthy === 0);
    const now = sick.map(({ arn }) => arn).join();
    if (now === this.#sick) return;
    this.#sick = now;
    this.#run = markTargetsChanged(this.#run, this.now);
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
        if (!isReported(this.#run)) continue;
        this.#run = newRun(initialState);
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
      this.#run = recordFailedLook(this.#run, failure, now);
      return;
    }
    this.#run = recordLook(this.#run, this.seen(), { upTo: this.#run.changes, now });
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
      this.state = holds.recordReportFailure(this.state, failure, now);
      return;
    }
    this.emitted.push(...due.events);
    this.#run = recordReport(sent, sent, due.status);
    // What says the same is not written.
    if (due.is === 'Same') return;
    // What travels to the API server and back is JSON.
    this.status = JSON.parse(JSON.stringify(due.status)) as CellStatus;
    this.state = JSON.parse(JSON.stringify(this.state)) as RolloutState;
  }

  #perform(decision: Performable, observed: ObservedCell): void {
    const { now } = this;
    const upTo = this.#run.changes;
    if (!isRecorded(decision) && decision.do !== 'Begin') this.events += EVENTS.activity;
    const attempt = this.attempt(decision, observed, this.state);
    const done = recordAttempt(decision, attempt, observed);
    this.#run = applyPerformed(this.#run, done, { upTo, now });
  }
}
