import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import { isPermanent, type FailureType } from '../failures.ts';
import { type AnalysisVerdict, isFinished } from '../rollout/analysis.ts';
import type { ReadVerdict } from '../rollout/ended-early.ts';
import type { Freezing } from '../gates/freeze.ts';
import { doubtfulKinds, doubtsOf, standIns, type DecisiveKind, type Definition } from '../gates/doubts.ts';
import type { TargetHealth } from '../gates/health.ts';
import {
  keepsClients,
  routeOf,
  sameRoute,
  servedRoute,
  withTargetGroups,
  type Route,
} from '../load-balancers/load-balancer.ts';
import { sameShares } from '../load-balancers/weights.ts';
import type { Performable, Shift } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import { type LostRun, type RolloutState } from '../model/state.ts';
import type { SelectedTargetGroup, WeightedTargetGroup } from '../model/target-group.ts';
import { type Attempt } from '../rollout/attempt.ts';
import { attemptWith, carriedOut, type Asked, type Outside } from '../plan/outside.ts';
import { shiftDone, shiftRequest, type ShiftRequest, type ShiftResult } from '../rollout/shift.ts';
import { aCell, arnOf } from './builders.ts';

/** One write to the load balancer, with what was known when it was made. */
export interface SimulatedWrite {
  readonly shift: Shift;
  readonly before: readonly WeightedTargetGroup[];
  readonly state: RolloutState;
  readonly spec: CellSpec;
  readonly selected: readonly SelectedTargetGroup[];
  /** Whether clients were kept with the target group that had served them first. */
  readonly keepsClients: boolean;
  /** The groups that were seen healthy since the write before. */
  readonly seenHealthy: ReadonlySet<string>;
  readonly at: number;
}

/** An attempt to write that is lost or interrupted, and the last that it has done. */
export interface Cut {
  readonly is: 'Lost' | 'Interrupted';
  readonly after: 'Nothing' | 'Asking' | 'Writing' | 'Confirming';
}

/** What is outside of a rollout, in memory: a Cell with its load balancer, target groups and AnalysisRuns. It answers at once. */
export class SimulatedWorld {
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
  /** How traffic gets in, as the status of the configuration says. */
  route: Route | undefined;
  status: CellStatus = {};
  freezes: readonly Freezing[] = [];
  /** What is known of the definitions of kinds; those that are not named were made long ago. */
  definitions: Readonly<Partial<Record<DecisiveKind, Definition>>> = {};
  /** The clusters that the Cell with applications waits for which this one moves traffic for. */
  unready: readonly string[] = [];
  behind: string | undefined;
  readonly unhealthy = new Set<string>();
  /** The groups without any registered target. */
  readonly empty = new Set<string>();
  readonly runs = new Map<string, ReadVerdict>();
  /** How many of the next ends of what measures are carried out, and answered with an error. */
  lostEnds = 0;
  readonly writes: SimulatedWrite[] = [];
  isDeleted = false;
  /** What is wrong with the spec. */
  problems: readonly string[] = [];
  /** Whether an object says what is served; someone may have deleted it. */
  isKnown = true;
  /** Whether the templates of what measures are missing, of a step or of what goes on in the background. */
  lacksTemplates = false;
  lacksTemplatesInBackground = false;
  /** How many of the next writes ELBv2 refuses, and why. */
  refusals = 0;
  refusal: FailureType = 'Throttled';
  /** How many of the next writes ELBv2 applies, and answers with an error. */
  lateRefusals = 0;
  /** How the next attempts to write end of which nobody hears how far they got. */
  cuts: Cut[] = [];
  /** How many of the next reads before a write show what was served before the last write. */
  staleReads = 0;
  /** Whether the API server refuses to be read, or to have the status written. */
  isBlind = false;
  isMute = false;
  /** What the budget makes the next writes wait for, in milliseconds. */
  budgetMs: number[] = [];
  /** How someone has ended the last run. */
  lostRun: LostRun = { is: 'Unknown' };

  #seenHealthy = new Set<string>();
  #sequence = 0;
  #asked: readonly WeightedTargetGroup[] = [];
  /** What ELBv2 serves, as far as Okra has written or read it; someone may have changed it by hand. */
  #known: readonly WeightedTargetGroup[] = [];
  #rollouts = 0;
  /** What was served before the last write. */
  #before: readonly WeightedTargetGroup[] = [];
  /** How traffic gets in where it is served. */
  #route: Route | undefined;

  constructor(spec: Partial<CellSpec> = {}) {
    const built = aCell().seen().cell;
    if (built === undefined) throw new Error('Expected the builder to make a Cell, got none.');
    this.spec = { ...built.spec, ...spec };
    this.route = routeOf(this.spec);
    this.#route = this.route;
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

  /** What a look at the objects shows. */
  seen(): ObservedCell {
    const served = this.isKnown ? this.told : [];
    const { route } = this;
    const serving =
      route !== undefined && served.length > 0 ? { observedForwarding: withTargetGroups(route, served) } : {};
    const kinds = doubtfulKinds(this.definitions, { now: this.now, graceSeconds: 180 });
    const named = new Set(this.groups.map(({ arn }) => arn));
    const doubts = doubtsOf(kinds, this.status, { inRule: served, named });
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
              problems: this.problems,
            },
          }),
      digest: 'digest',
      selected: [...this.groups, ...standIns(doubts, this.status)],
      freezes: this.freezes,
      ...(doubts.length === 0 ? {} : { doubts }),
      ...(this.unready.length === 0 ? {} : { waitsFor: { cell: 'shop', clusters: this.unready } }),
      ...(this.behind === undefined ? {} : { behind: { cell: 'shop', application: this.behind } }),
      weighted: served,
      ...serving,
      isApplied: !this.isKnown || this.isApplied,
      ...(this.isKnown && this.#asked.length > 0 ? { desired: this.#asked } : {}),
      sequence: this.#sequence,
    };
  }

  /** What comes of an attempt to do what was decided. */
  attempt(decision: Performable, observed: ObservedCell, state: RolloutState): Attempt {
    const { cell } = observed;
    if (cell === undefined) throw new Error('Expected a Cell, got none.');
    const attempt = attemptWith(this.#outside, decision, { observed, cell, state });
    if (decision.do !== 'TerminateMeasurement' || this.lostEnds === 0) return attempt;
    this.lostEnds -= 1;
    return refused('Unavailable', 'Timed out.');
  }

  readonly #outside: Outside = {
    newRollout: () => {
      this.#rollouts += 1;
      return `r${this.#rollouts}`;
    },
    shift: (shift, asked) => this.#shift(shift, asked),
    inspect: () => {
      this.#known = this.served;
      return this.served.length === 0 ? { is: 'Nothing' } : { is: 'Serving', targetGroups: this.served };
    },
    healthOf: (arns) => this.#healthOf(arns),
    start: ({ kind, background }, { rollout }) => {
      const lacks = background === undefined ? this.lacksTemplates : this.lacksTemplatesInBackground;
      if (lacks && kind === 'AnalysisRun') {
        const reason = 'AnalysisTemplateNotFound';
        return { is: 'Refused', refusal: { reason, message: 'There is none.', permanent: true } };
      }
      return this.#start(background ?? `${rollout?.index}`, rollout);
    },
    read: (name) => this.#read(name),
    terminate: (name) => this.#end(name),
    endOfLostRun: () => this.lostRun,
  };

  /** What is started again under a name that is there already is the same one. */
  #start(step: string, rollout: RolloutState['rollout']): ReadVerdict {
    const { id = '', edition = 0 } = rollout ?? {};
    const name = `web-${step}-${id}-${edition}`;
    const verdict = this.runs.get(name) ?? { name, phase: 'Running', message: '' };
    this.runs.set(name, verdict);
    return verdict;
  }

  #end(name: string): AnalysisVerdict {
    const { ended: _before, ...run } = this.#read(name);
    if (!isFinished(run.phase)) this.runs.set(name, { ...run, phase: 'Successful', ended: true });
    return run;
  }

  #shift(shift: Shift, { observed, cell, state }: Asked): Attempt {
    const { now, served } = this;
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
    const cut = this.cuts.shift();
    if (cut?.after === 'Nothing') return unheard(cut, shift);
    this.#sequence = request.sequence;
    const isWritten = this.#isWritten(shift, request);
    this.#asked = shift.shares;
    this.isApplied = false;
    // An object that is made anew says nothing of what is served.
    if (!this.isKnown) this.told = [];
    this.isKnown = true;
    if (cut?.after === 'Asking') return unheard(cut, shift);
    if (isWritten && this.refusals > 0) {
      this.refusals -= 1;
      return refused(this.refusal, 'ELBv2 refuses.');
    }
    if (isWritten)
      this.writes.push({
        shift,
        before: this.#known,
        state: { ...state, sequence: request.sequence },
        spec: this.spec,
        selected: this.groups,
        keepsClients: this.#route !== undefined && keepsClients(this.#route),
        seenHealthy: this.#seenHealthy,
        at: now,
      });
    this.#seenHealthy = new Set();
    if (isWritten) {
      this.#before = served;
      this.served = shift.shares;
      this.#route = servedRoute(request.forwarding);
    }
    this.#known = shift.shares;
    if (cut?.after === 'Writing') return unheard(cut, shift);
    if (isWritten && this.lateRefusals > 0) {
      this.lateRefusals -= 1;
      return refused('Unavailable', 'Internal error.');
    }
    this.told = shift.shares;
    this.isApplied = true;
    this.route = this.#route;
    if (cut !== undefined) return unheard(cut, shift);
    return answered({ is: 'Served', ...(this.isBlind ? {} : { observed: this.seen() }) });
  }

  /** Whether a write is sent that may be refused: for what is read, or whatever that is. */
  #isWritten(shift: Shift, { forwarding }: ShiftRequest): boolean {
    const verify = shift.verify === true;
    const present = verify ? this.#route : this.route;
    const isSameRoute = present !== undefined && sameRoute(forwarding, present);
    const isStale = verify && this.staleReads > 0;
    if (isStale) this.staleReads -= 1;
    const isSame = sameShares(verify ? (isStale ? this.#before : this.served) : this.told, shift.shares);
    // What is shown already is written as well, and done without where it is refused.
    const mayBeUndone =
      !(this.isApplied && sameShares(this.#asked, shift.shares)) &&
      isSameRoute &&
      sameShares(this.told, shift.shares);
    const undoes = verify && (shift.urgent || mayBeUndone) && this.refusals === 0;
    return !isSameRoute || !isSame || undoes;
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

  #read(name: string): ReadVerdict {
    return this.runs.get(name) ?? { name, phase: 'Error', message: 'It is gone.' };
  }
}

/** Nothing goes before what takes traffic back. */
const unheard = ({ is }: Cut, { urgent }: Shift): Attempt =>
  is === 'Interrupted' && !urgent
    ? { is }
    : { is: 'Lost', refusal: { reason: 'Unavailable', message: 'No word.', permanent: false } };

const refused = (reason: FailureType, message: string): Attempt => ({
  is: 'Refused',
  refusal: { reason, message, permanent: isPermanent(reason) },
});
