import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import { isPermanent, type FailureType } from '../failures.ts';
import { type AnalysisVerdict, isFinished } from '../rollout/measure/analysis.ts';
import type { ReadVerdict } from '../rollout/measure/measurement.ts';
import type { Freezing } from '../gates/freeze.ts';
import {
  strandedBy,
  strandingRefusal,
  strandingWarning,
  type Stranding,
  type TargetHealth,
} from '../gates/health.ts';
import {
  keepsClients,
  routeOf,
  sameRoute,
  servedRoute,
  withTargetGroups,
  type Route,
} from '../load-balancers/load-balancer.ts';
import type { ObjectKey } from '../model/ids.ts';
import { sameShares } from '../load-balancers/weights.ts';
import type { Performable, Shift } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { LostRun, RolloutState } from '../model/state.ts';
import type { SelectedTargetGroup, WeightedTargetGroup } from '../model/target-group.ts';
import type { Attempt } from '../rollout/record/attempt.ts';
import type { CarriedOut } from '../rollout/record/performed.ts';
import { carryOut, type Asked, type Outside } from '../rollout/carry-out.ts';
import { shiftDone, shiftRequest, type ShiftRequest, type ShiftResult } from '../rollout/shift.ts';
import { aCell, arnOf } from './builders.ts';
import { isTold, SimulatedListener, type Aim, type SimulatedRule } from './simulated-listener.ts';
import { isUrgent } from '../model/shift-purpose.ts';

/** One write to the load balancer, with what was known when it was made. */
export interface SimulatedWrite {
  readonly shift: Shift;
  readonly before: readonly WeightedTargetGroup[];
  readonly state: RolloutState;
  readonly spec: CellSpec;
  readonly selected: readonly SelectedTargetGroup[];
  /** Whether clients are kept with the target group that has served them first. */
  readonly keepsClients: boolean;
  /** The groups that were seen healthy since the write before. */
  readonly seenHealthy: ReadonlySet<string>;
  /** What the rule served just before, and the groups with a healthy target then. */
  readonly served: readonly WeightedTargetGroup[];
  readonly healthy: ReadonlySet<string>;
  readonly at: number;
}

/** An attempt to write that is lost or interrupted, and the last that it has done. */
export interface Cut {
  readonly is: 'Lost' | 'Interrupted';
  readonly after: 'Nothing' | 'Asking' | 'Writing' | 'Confirming';
}

/** Whose load balancer it is, where several Cells are simulated. */
export interface Sharing {
  readonly key: ObjectKey;
  readonly listener: SimulatedListener;
}

/** What is outside of a rollout, in memory: a Cell with its load balancer, target groups and AnalysisRuns. It answers at once. */
export class SimulatedWorld {
  now = Date.parse('2026-11-23T10:00:00Z');
  spec: CellSpec;
  generation = 1;
  groups: SelectedTargetGroup[] = [];
  /** Whether the Cell may take over what is someone else's. */
  adopt = false;
  readonly key: ObjectKey;
  readonly listener: SimulatedListener;
  /** What the status of the configuration says is served; it may be behind. */
  told: readonly WeightedTargetGroup[] = [];
  /** Whether the status of the configuration says that ELBv2 serves what is asked for. */
  isApplied = true;
  /** How traffic gets in, as the status of the configuration says. */
  route: Route | undefined;
  status: CellStatus = {};
  freezes: readonly Freezing[] = [];
  /** The clusters that the Cell with applications waits for which this one moves traffic for. */
  unready: readonly string[] = [];
  behind: string | undefined;
  readonly unhealthy = new Set<string>();
  /** The groups without any registered target. */
  readonly empty = new Set<string>();
  readonly runs = new Map<string, ReadVerdict>();
  /** Whether what is started begins to measure; its controller may be away. */
  begins = true;
  /** How many of the next ends of what measures are carried out, and answered with an error. */
  lostEnds = 0;
  readonly writes: SimulatedWrite[] = [];
  isDeleted = false;
  /** What is wrong with the spec. */
  problems: readonly string[] = [];
  /** Whether an object says what is served; someone may have deleted it. */
  isKnown = true;
  /** Whether the templates of what measures are missing, of a step or of what runs in the background. */
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
  /** How someone has ended the last run. */
  lostRun: LostRun = { is: 'Unknown' };

  #seenHealthy = new Set<string>();
  #sequence = 0;
  #asked: readonly WeightedTargetGroup[] = [];
  /** What ELBv2 serves, as far as Okra has written or read it; someone may have changed it by hand. */
  #known: readonly WeightedTargetGroup[] = [];
  #rollouts = 0;
  /** The rule that the last write went to, and the one that the status of the configuration names. */
  #mine: string | undefined;
  #named: string | undefined;

  constructor(spec: Partial<CellSpec> = {}, sharing: Partial<Sharing> = {}) {
    const built = aCell().seen().cell;
    if (built === undefined) throw new Error('Expected the builder to make a Cell, got none.');
    this.spec = { ...built.spec, ...spec };
    this.route = routeOf(this.spec);
    this.key = sharing.key ?? { namespace: 'default', name: 'web' };
    this.listener = sharing.listener ?? new SimulatedListener();
  }

  /** What ELBv2 serves by the rule that this Cell has written last. */
  get served(): readonly WeightedTargetGroup[] {
    return this.listener.named(this.#mine)?.shares ?? [];
  }

  /** What someone has ELBv2 serve by hand. */
  set served(shares: readonly WeightedTargetGroup[]) {
    const { listener, key } = this;
    const present = listener.named(this.#mine);
    const route = this.#specRoute();
    const rule = present ?? { arn: 'rule/0', owner: SimulatedListener.tagOf(key), route, shares, before: [] };
    if (present === undefined) listener.rules.push(rule);
    rule.shares = shares;
    this.#mine = rule.arn;
  }

  /** The rule that the status of the configuration names; undefined when there is none any more. */
  get ruleNamed(): SimulatedRule | undefined {
    return this.listener.named(this.isKnown ? this.#named : undefined);
  }

  #specRoute(): Route {
    const route = routeOf(this.spec);
    if (route === undefined) throw new Error('Expected the Cell to have a load balancer, got none.');
    return route;
  }

  /** Adds target groups of a version. */
  provision(version: string, ...names: readonly string[]): void {
    this.groups = [
      ...this.groups.filter((group) => !names.includes(group.name)),
      ...names.map((name) => ({ name, arn: arnOf(name), version })),
    ];
  }

  /** Something that the Cell depends on has changed. */
  wake(): void {}

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
    return {
      key: this.key,
      ...(this.isDeleted
        ? {}
        : {
            cell: {
              uid: 'uid-1',
              generation: this.generation,
              spec: this.spec,
              status: this.status,
              problems: this.problems,
              adopt: this.adopt,
            },
          }),
      digest: 'digest',
      selected: [...this.groups],
      freezes: this.freezes,
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
    if (cell === undefined || decision.do === 'Remove' || decision.do === 'Release')
      throw new Error(`Expected a Cell whose configuration stays, got ${decision.do}.`);
    try {
      const done = carryOut(decision, { observed, cell, state }, this.#outside);
      if (done instanceof Promise) throw new Error('Expected an answer at once, got a promise.');
      if (decision.do !== 'TerminateMeasurement' || this.lostEnds === 0) return { is: 'CarriedOut', done };
      this.lostEnds -= 1;
      return refused('Unavailable', 'Timed out.');
    } catch (error) {
      if (error instanceof NotCarriedOut) return error.attempt;
      throw error;
    }
  }

  readonly #outside: Outside = {
    newRollout: () => {
      this.#rollouts += 1;
      return `r${this.#rollouts}`;
    },
    shift: (shift, asked) => doneOf(this.#shift(shift, asked)),
    inspect: () => {
      const rule = this.listener.at(this.#specRoute());
      if (rule !== undefined && !this.listener.mayClaim(this, rule))
        throw new NotCarriedOut(refused('Conflict', 'It is someone else’s.'));
      this.#known = rule?.shares ?? [];
      return rule === undefined || rule.shares.length === 0
        ? { is: 'Nothing' }
        : { is: 'Serving', targetGroups: rule.shares };
    },
    healthOf: ({ targetGroupARNs }) => this.#healthOf(targetGroupARNs),
    prune: () => undefined,
    start: ({ kind, background }, { state: { rollout } }) => {
      const lacks = background === undefined ? this.lacksTemplates : this.lacksTemplatesInBackground;
      if (lacks && kind === 'AnalysisRun') {
        const reason = 'AnalysisTemplateNotFound';
        const refusal = { reason, message: 'There is none.', permanent: true };
        throw new NotCarriedOut({ is: 'Refused', refusal });
      }
      return this.#start(background ?? `${rollout?.index}`, rollout);
    },
    read: ({ name }) => this.#read(name),
    terminate: ({ name }) => this.#end(name),
    endOfLostRun: () => this.lostRun,
  };

  /** What is started again under a name that is there already is the same one. */
  #start(step: string, rollout: RolloutState['rollout']): ReadVerdict {
    const { id = '', edition = 0 } = rollout ?? {};
    const name = `web-${step}-${id}-${edition}`;
    const phase = this.begins ? 'Running' : 'Pending';
    const verdict = this.runs.get(name) ?? { name, phase, message: '' };
    this.runs.set(name, verdict);
    return verdict;
  }

  #end(name: string): AnalysisVerdict {
    const { ended: _before, ...run } = this.#read(name);
    if (!isFinished(run.phase)) this.runs.set(name, { ...run, phase: 'Successful', ended: true });
    return run;
  }

  // oxlint-disable-next-line complexity -- each line is a thing that may happen to a write
  #shift(shift: Shift, { observed, cell, state }: Asked): Attempt {
    const { listener } = this;
    const route = this.#specRoute();
    const request = shiftRequest(shift, { observed, cell, state, route });
    const answered = (result: ShiftResult): Attempt => ({
      is: 'CarriedOut',
      done: shiftDone(shift, request, result, { observed, cell }),
    });
    const early = this.#early(shift, answered);
    if (early !== undefined) return early;
    const cut = this.cuts.shift();
    if (cut?.after === 'Nothing') return unheard(cut, shift);
    this.#sequence = request.sequence;
    const aim = this.#aim(shift, request);
    const found = listener.find(this, aim);
    const isWritten = this.#isWritten(
      shift,
      request,
      found === 'Conflict' ? undefined : this.#present(aim, found),
    );
    const stranding =
      isWritten && found !== 'Conflict' ? this.#stranding(found?.shares ?? [], shift) : undefined;
    const corrects = isWritten && shift.verify === true && !isUrgent(shift) && this.isApplied;
    // What takes traffic back writes ELBv2 first, and the object afterwards.
    if (!isUrgent(shift)) this.#ask(shift);
    if (cut?.after === 'Asking') return unheard(cut, shift);
    if (stranding !== undefined && shift.force !== true)
      return refused('NoHealthyTargets', strandingRefusal(stranding));
    if (isWritten && this.refusals > 0) {
      this.refusals -= 1;
      return refused(this.refusal, 'ELBv2 refuses.');
    }
    if (found === 'Conflict') return refused('Conflict', 'It is someone else’s.');
    const rule = this.#written({ shift, request, state }, { aim, found, isWritten });
    this.#mine = rule.arn;
    this.#known = shift.shares;
    if (cut?.after === 'Writing') return unheard(cut, shift);
    if (isWritten && this.lateRefusals > 0) {
      this.lateRefusals -= 1;
      return refused('Unavailable', 'Internal error.');
    }
    if (isUrgent(shift)) this.#ask(shift);
    this.#confirm(shift, rule, aim);
    if (cut !== undefined) return unheard(cut, shift);
    const warning = stranding === undefined ? {} : { warning: strandingWarning(stranding) };
    return answered({
      is: 'Served',
      ...warning,
      ...(corrects ? { corrects } : {}),
      ...(this.isBlind ? {} : { observed: this.seen() }),
    });
  }

  /** What keeps a write from being made before anything is asked for. */
  #early(shift: Shift, answered: (result: ShiftResult) => Attempt): Attempt | undefined {
    const lacking = this.#lackOf(shift);
    if (lacking !== undefined) return answered({ is: 'Lacking', ...lacking });
    const believed = isUrgent(shift) || shift.force === true ? undefined : this.#stranding(this.told, shift);
    if (believed !== undefined) return refused('NoHealthyTargets', strandingRefusal(believed));
    return undefined;
  }

  /** The object asks for it. */
  #ask({ shares }: Shift): void {
    this.#asked = shares;
    this.isApplied = false;
    // An object that is created again says nothing of what is served.
    if (!this.isKnown) [this.told, this.#named] = [[], undefined];
    this.isKnown = true;
  }

  /** The status of the object says that it is served. */
  #confirm({ shares }: Shift, { arn, route }: SimulatedRule, { told }: Aim): void {
    const { listener } = this;
    if (told !== undefined && told.arn !== arn) listener.remove(this, [listener.named(told.arn)]);
    this.told = shares;
    this.isApplied = true;
    this.route = route;
    this.#named = arn;
  }

  /** Sends a write, where one is sent; answers with the rule that serves afterwards. */
  #written(
    { shift, request, state }: { shift: Shift; request: ShiftRequest; state: RolloutState },
    { aim, found, isWritten }: { aim: Aim; found: SimulatedRule | undefined; isWritten: boolean },
  ): SimulatedRule {
    const { listener } = this;
    const to = { route: servedRoute(request.forwarding), shares: shift.shares };
    if (isWritten)
      this.writes.push({
        shift,
        before: this.#known,
        state: { ...state, sequence: request.sequence },
        spec: this.spec,
        selected: this.groups,
        keepsClients: keepsClients(to.route),
        seenHealthy: this.#seenHealthy,
        served: found?.shares ?? [],
        healthy: new Set(
          [...(found?.shares ?? []), ...shift.shares]
            .map(({ arn }) => arn)
            .filter((arn) => this.health(arn).healthy > 0),
        ),
        at: this.now,
      });
    this.#seenHealthy = new Set();
    const rule = isWritten || found === undefined ? listener.write(this, found, to) : found;
    // The rule that the status names is written without its tag, too, when someone has taken that off.
    if (!isTold(aim) || (isWritten && rule.owner !== undefined)) listener.claim(this, rule);
    return rule;
  }

  #aim({ verify = false, shares }: Shift, { forwarding, urgent }: ShiftRequest): Aim {
    const { route } = this;
    const arn = this.isKnown ? this.#named : undefined;
    const told = arn === undefined || route === undefined ? undefined : { arn, route };
    const isSame = route !== undefined && sameRoute(forwarding, route) && sameShares(this.told, shares);
    return { route: forwarding, told, isSame, verify, urgent };
  }

  /** What a write is compared with: what the status says, or what a read shows. */
  #present(aim: Aim, found: SimulatedRule | undefined): Pick<SimulatedRule, 'route' | 'shares'> | undefined {
    const { told, verify } = aim;
    if (found !== undefined && told !== undefined && isTold(aim))
      return { route: told.route, shares: this.told };
    const isStale = verify && this.staleReads > 0;
    if (isStale) this.staleReads -= 1;
    return found && { route: found.route, shares: isStale ? found.before : found.shares };
  }

  /** Whether a write is sent that may be refused: for what is read, or whatever that is. */
  #isWritten(
    shift: Shift,
    { forwarding }: ShiftRequest,
    present: Pick<SimulatedRule, 'route' | 'shares'> | undefined,
  ): boolean {
    const isSameRoute = present !== undefined && sameRoute(forwarding, present.route);
    const isSame = present !== undefined && sameShares(present.shares, shift.shares);
    // What is shown already is written as well, and done without where it is refused.
    const mayBeUndone =
      !(this.isApplied && sameShares(this.#asked, shift.shares)) &&
      isSameRoute &&
      sameShares(this.told, shift.shares);
    const undoes = shift.verify === true && (isUrgent(shift) || mayBeUndone) && this.refusals === 0;
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
    const found = arns.map((arn) => this.health(arn));
    for (const { targetGroupARN, healthy } of found) if (healthy > 0) this.#seenHealthy.add(targetGroupARN);
    return found;
  }

  /** What ELBv2 says of the targets of a group; it checks none of a group that no rule uses (Target.NotInUse). */
  health(targetGroupARN: string): TargetHealth {
    const total = this.empty.has(targetGroupARN) ? 0 : 1;
    const isUsed = this.listener.rules.some(({ shares }) => shares.some(({ arn }) => arn === targetGroupARN));
    const isHealthy = total > 0 && isUsed && !this.unhealthy.has(targetGroupARN);
    return { targetGroupARN, healthy: isHealthy ? 1 : 0, total, others: isUsed ? '' : '1 unused' };
  }

  /** The sides of a write that leaves all traffic without a healthy target. */
  #stranding(from: readonly WeightedTargetGroup[], { shares: to }: Shift): Stranding | undefined {
    return strandedBy({ from, to }, (arn) => this.health(arn));
  }

  #read(name: string): ReadVerdict {
    return this.runs.get(name) ?? { name, phase: 'Error', message: 'It is gone.' };
  }
}

/** An attempt that has not come to an answer. */
class NotCarriedOut extends Error {
  readonly attempt: Attempt;

  constructor(attempt: Attempt) {
    super(attempt.is);
    this.attempt = attempt;
  }
}

function doneOf(attempt: Attempt): CarriedOut {
  if (attempt.is !== 'CarriedOut') throw new NotCarriedOut(attempt);
  return attempt.done;
}

/** Nothing goes before what takes traffic back. */
const unheard = ({ is }: Cut, shift: Shift): Attempt =>
  is === 'Interrupted' && !isUrgent(shift)
    ? { is }
    : { is: 'Lost', refusal: { reason: 'Unavailable', message: 'No word.', permanent: false } };

const refused = (reason: FailureType, message: string): Extract<Attempt, { is: 'Refused' }> => ({
  is: 'Refused',
  refusal: { reason, message, permanent: isPermanent(reason) },
});
