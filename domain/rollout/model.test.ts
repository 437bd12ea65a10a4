import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import type { AnalysisPhase } from './measure/analysis.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import type { RequestName } from '../model/request.ts';
import type { LostRun, Rollout } from '../model/state.ts';
import { shiftPurposes } from '../model/shift-purpose.ts';
import { stepsOf, weightAfter } from '../steps/plan.ts';
import { isNewer, type VersionSet } from '../versions/version.ts';
import { keepsClients, routeOf } from '../load-balancers/load-balancer.ts';
import { weightOf } from '../load-balancers/weights.ts';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { aStepAnalysis } from '../testing/checks.ts';
import { aJob } from '../testing/jobs.ts';
import type { SimulatedWrite } from '../testing/simulated-world.ts';
import { keepClients, rollingOut } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';

// The same rollouts in each run, so that a change is judged by what it changes; more of them look for what nobody has thought of.
const { OKRA_MODEL_RUNS, OKRA_MODEL_SEED } = process.env;
const RUNS = Number(OKRA_MODEL_RUNS ?? 250);
const SEED = OKRA_MODEL_RUNS === undefined ? 20_261_122 : Number(OKRA_MODEL_SEED ?? Date.now() % 2 ** 31);

const analysis = { templates: [{ templateName: 'success-rate' }] };
const stepLists: readonly (readonly CanaryStep[])[] = [
  [],
  [{ setWeight: 20 }, { pause: { duration: '10m' } }, { setWeight: 50 }],
  [{ setWeight: 20 }, { analysis }, { pause: {} }, { setWeight: 60 }, { analysis }],
  [{ pause: {} }, { stepWeight: 10 }, { stepWeight: 30 }],
  [{ analysis }, { setWeight: 100 }, { analysis }],
  [{ setWeight: 20 }, { check: { name: 'dd', analysis: aStepAnalysis() } }, { setWeight: 40 }],
  [{ setWeight: 20 }, { job: aJob() }, { setWeight: 40 }],
  [
    { setWeight: 20 },
    { experiment: { duration: '10m', templates: [{ name: 'wy', specRef: 'wy', replicas: 1 }] } },
    { setWeight: 40 },
  ],
  [{ setWeight: 0 }, { setWeight: 33 }, { pause: { duration: 30 } }],
  [{ setWeight: 20 }, { approval: { groups: ['release'], count: 2, timeout: '8h' } }, { setWeight: 40 }],
];

/** What a run of commands leaves for the invariants to compare with. */
interface Model {
  /** Every total that any version could be asked to have. */
  readonly totals: Set<number>;
  /** The version that was aborted last, until someone lifts that. */
  aborted: string | undefined;
  /** Whether the label of a group was edited, which then serves another version with what it had. */
  isRelabelled: boolean;
  /** Whether target groups were removed: what is left alone has everything, and gives some back when others return. */
  isRemoved: boolean;
  /** Whether an older status of the Cell was restored, which may name other sides than those that serve. */
  isRestored: boolean;
  /** Backups of the status of the Cell and of Temporal after each command, the newest first; each restores what it has. */
  backups: readonly Backup[];
}

interface Backup {
  readonly status: () => void;
  readonly temporal: () => void;
}

const aModel = (): Model => ({
  totals: new Set([0, 100]),
  aborted: undefined,
  isRelabelled: false,
  isRemoved: false,
  isRestored: false,
  backups: [],
});

function backUp(simulation: Simulation): Backup {
  const { status } = simulation;
  return { status: () => void (simulation.status = status), temporal: simulation.backUpTemporal() };
}

/** Whether a rollout is being taken back, by this run or by one that was lost; a retry is for that, and not for its version. */
function isTakenBack({ state: { rollout, serves }, status }: Simulation): boolean {
  const isLeft = rollout === undefined && serves === undefined;
  return rollout?.ending !== undefined || (isLeft && status.rollout?.ending !== undefined);
}

class Do implements fc.Command<Model, Simulation> {
  readonly what: string;
  readonly effect: (simulation: Simulation, model: Model) => void;
  constructor(what: string, effect: (simulation: Simulation, model: Model) => void) {
    this.what = what;
    this.effect = effect;
  }
  check(): boolean {
    return true;
  }
  run(model: Model, simulation: Simulation): void {
    const written = simulation.writes.length;
    this.effect(simulation, model);
    simulation.lookForHealth();
    allow(model, simulation);
    simulation.run();
    for (const write of simulation.writes.slice(written)) holdAgainst(write, model);
    expect(unrestored(simulation), 'I9').toBeUndefined();
    expect(unaborted(simulation), 'I3').toBeUndefined();
    model.backups = [backUp(simulation), ...model.backups];
  }
  toString(): string {
    return this.what;
  }
}

/** What stands still although nobody knows for sure what is served, and nothing keeps it from being put right. */
function unrestored({ last, state, told, isKnown, isApplied, isBlind }: Simulation): string | undefined {
  const isUnsure = isKnown && told.length > 0 && (!isApplied || state.mayDiffer === true);
  const isHeld = last.do === 'Wait' && ['Backoff', 'Removal'].includes(last.for);
  return isUnsure && !isHeld && !isBlind ? JSON.stringify(last) : undefined;
}

/** What continues although its abort was asked for, or stays where nothing keeps it from going back. */
function unaborted({ last, state, served }: Simulation): string | undefined {
  const { rollout, requests } = state;
  if (rollout === undefined || requests.abort === undefined) return undefined;
  if (rollout.ending === undefined) return JSON.stringify(last);
  const isHeld = last.do === 'Wait' && last.for === 'Backoff';
  const { groups } = rollout.canary;
  return isHeld || weightOf(groups, served) === 0 ? undefined : JSON.stringify(last);
}

function allow({ totals }: Model, { spec, state }: Simulation): void {
  for (const steps of [stepsOf(spec), state.rollout?.steps ?? []])
    steps.forEach((_, index) => totals.add(weightAfter(steps, index)));
}

const total = (shares: readonly WeightedTargetGroup[]): number =>
  shares.reduce((sum, share) => sum + share.weight, 0);

/** Purposes that take traffic back to what has served, ask for that again, or have nothing to lose. */
const needNoHealth = new Set([
  'Adopting',
  'Installing',
  'Reinstalling',
  'FallingBack',
  'Reverting',
  'Restoring',
  'Reconfiguring',
]);

/** Purposes that ask for the weights that each version had before. */
const keepsWeights = new Set([
  'Adopting',
  'AttachingTargetGroups',
  'DetachingTargetGroups',
  'Reconfiguring',
  'Evacuating',
  'RemovingTargetGroups',
]);

/** Whether a group that carries traffic may leave the rule. */
function mayLeave(
  old: WeightedTargetGroup,
  { shift, state, selected, keepsClients: areKept, healthy }: SimulatedWrite,
  { isRelabelled }: Model,
): boolean {
  const claiming = selected.find((group) => group.arn === old.arn);
  if (claiming === undefined || claiming.version !== shift.version) return true;
  // Where clients are kept with a target group, only leaving the rule takes them off dead targets.
  if (areKept && shift.purpose === 'Reverting' && !healthy.has(old.arn)) return true;
  const { stable, canary } = state.rollout ?? {};
  const isOf = (side: VersionSet | undefined): boolean =>
    side?.groups.some(({ arn }) => arn === old.arn) === true;
  // One that was gone when the rollout of a lost run was taken up, and has come back since, joins again afterwards.
  if (canary?.version === shift.version && !isOf(canary) && !isOf(stable)) return true;
  if (!isRelabelled) return false;
  // What was asked for last is not confirmed, and withdrawn; an edit of the route is made with what is confirmed, too.
  const isWithdrawn =
    shift.purpose === 'Restoring' || (shift.purpose === 'Reconfiguring' && shift.verify === true);
  // A write that reverts waits for no look, so it may not know yet what a label claims; the group joins again when it is healthy.
  return isWithdrawn || shift.purpose === 'Reverting';
}

/** The groups of which a write lacks the look that its purpose needs. */
function unseen({ shift, before }: SimulatedWrite, gains: readonly WeightedTargetGroup[]): readonly string[] {
  const { healthy = [], registered = [] } = shift.requires ?? {};
  const joins = shift.shares.filter(({ arn }) => !before.some((one) => one.arn === arn));
  const isLacking = (groups: readonly WeightedTargetGroup[], seen: readonly string[]): readonly string[] =>
    groups.flatMap(({ arn, name }) => (seen.includes(arn) ? [] : [name]));
  switch (shiftPurposes[shift.purpose].needs) {
    case 'Healthy':
      return shift.force === true ? [] : isLacking(gains, healthy);
    case 'Registered':
      return isLacking(joins, registered);
    case 'Nothing':
      return [...healthy, ...registered];
  }
}

/** Whether a write takes the last weight from healthy groups and gives it to groups without a healthy target; a person may ask for that. */
function isStranding({ shift, served, healthy }: SimulatedWrite): boolean {
  const carries = (groups: readonly WeightedTargetGroup[], arn: string): boolean =>
    groups.some((one) => one.arn === arn && one.weight > 0);
  const isLeft = served.some(
    ({ arn }) => carries(served, arn) && healthy.has(arn) && !carries(shift.shares, arn),
  );
  const isKept = shift.shares.some(({ arn, weight }) => weight > 0 && healthy.has(arn));
  return isLeft && !isKept && shift.force !== true;
}

function holdAgainst(write: SimulatedWrite, model: Model): void {
  const { shift, before, state, seenHealthy } = write;
  const said = `${shift.purpose} ${JSON.stringify(weightsOf(before))} → ${JSON.stringify(weightsOf(shift.shares))}`;
  expect(total(shift.shares), `I1 ${said}`).toBe(100);
  expect(shift.shares.length, `five groups ${said}`).toBeLessThanOrEqual(5);
  const gains = shift.shares.filter(
    (one) => one.weight > (before.find((old) => old.arn === one.arn)?.weight ?? 0),
  );
  expect(isStranding(write), `last healthy ${said}`).toBe(false);
  expect(unseen(write, gains), `needs ${said}`).toEqual([]);
  if (!needNoHealth.has(shift.purpose) && shift.force !== true)
    for (const one of gains) expect(seenHealthy.has(one.arn), `I2 ${one.name} ${said}`).toBe(true);
  for (const old of before.filter((one) => one.weight > 0)) {
    const stays = shift.shares.some((one) => one.arn === old.arn);
    expect(stays || mayLeave(old, write, model), `I4 ${old.name} ${said}`).toBe(true);
  }
  const staysAll = shift.version === state.rollout?.canary.version;
  const leavesClients = shift.purpose === 'Reverting' && write.keepsClients && !staysAll;
  expect(leavesClients && shift.shares.some(({ weight }) => weight === 0), `clients are kept ${said}`).toBe(
    false,
  );
  if (state.rollout !== undefined) holdAgainstRollout(state.rollout, gains, { write, model, said });
}

/** Whether clients are kept with a target group, or will be by an edit that is not made yet. */
function willKeepClients({ spec, keepsClients: areKept }: SimulatedWrite): boolean {
  const route = routeOf(spec);
  return areKept || (route !== undefined && keepsClients(route));
}

/** The stable side stays in the rule, but for what was taken out or has no healthy target. */
function holdAgainstStable(rollout: Rollout, write: SimulatedWrite, model: Model, said: string): void {
  const { shift, before } = write;
  // A write that reverts waits for no look, so it may not know yet what a label claims.
  if (model.isRelabelled && shift.purpose === 'Reverting') return;
  for (const stable of rollout.stable.groups) {
    const claims = write.selected.find((one) => one.arn === stable.arn)?.version;
    // One that was taken out, and has come back since, joins again with the next step.
    const old = before.find(({ arn }) => arn === stable.arn);
    // Where clients are kept with a target group, one whose weight went to its healthy neighbours leaves.
    const isEvacuated = willKeepClients(write) && (old?.weight === 0 || !write.healthy.has(stable.arn));
    const isTakenOut = claims !== rollout.stable.version || old === undefined || isEvacuated;
    expect(
      isTakenOut || shift.shares.some((one) => one.arn === stable.arn),
      `I4 stable ${stable.name} ${said}`,
    ).toBe(true);
  }
}

/** What a write to a Cell in a rollout has to keep besides. */
function holdAgainstRollout(
  rollout: Rollout,
  gains: readonly WeightedTargetGroup[],
  { write, model, said }: { write: SimulatedWrite; model: Model; said: string },
): void {
  const { shift, before } = write;
  holdAgainstStable(rollout, write, model, said);
  for (const one of shift.purpose === 'Reverting' ? gains : []) {
    const claims = write.selected.find(({ arn }) => arn === one.arn)?.version ?? '';
    const wasStable = rollout.stable.groups.some(({ arn }) => arn === one.arn);
    expect(wasStable || !isNewer(claims, rollout.stable.version), `no newer one ${said}`).toBe(true);
  }
  const canaryIn = (shares: readonly WeightedTargetGroup[]): number =>
    total(shares.filter((one) => rollout.canary.groups.some((group) => group.arn === one.arn)));
  const canary = canaryIn(shift.shares);
  const isOtherwise = model.isRelabelled || model.isRestored;
  const isKept = shift.purpose === 'Restoring' || (isOtherwise && keepsWeights.has(shift.purpose));
  expect(isKept || model.totals.has(canary), `I5 ${canary} ${said}`).toBe(true);
  const mayGoBack = (rollout.edition ?? 0) > 0 || model.isRemoved || model.isRelabelled;
  if (shift.purpose === 'ShiftingTraffic' && !mayGoBack)
    expect(canary, `never backwards ${said}`).toBeGreaterThanOrEqual(canaryIn(before));
  expect(
    rollout.canary.version === model.aborted && gains.length > 0 && shift.purpose === 'ShiftingTraffic',
    `I3 ${said}`,
  ).toBe(false);
}

const versions = ['1.0.0', '1.1.0', '2.0.0', '2.1.0', '3.0.0'] as const;
const nameOf = (version: string, which: number): string => `g${version.replaceAll('.', '')}${which}`;
const people = ['ann', 'bob'] as const;
/** What would hold most Cells for most of the time if it were as often there as not. */
const rarely = fc.constantFrom(true, false, false, false);
/** The steps of a rollout to begin with, or nothing at all. */
const first = fc.option(fc.constantFrom(...stepLists), { nil: undefined });
const healing = (simulation: Simulation): void => simulation.unhealthy.clear();

/** What moves a Cell on; it happens more often than what holds it, as most runs would never roll out anything otherwise. */
const moves = [
  fc.tuple(fc.constantFrom(...versions), fc.integer({ min: 1, max: 2 })).map(
    ([version, count]) =>
      new Do(`provision ${count} of ${version}`, (simulation) => {
        simulation.provision(version, ...Array.from({ length: count }, (_, i) => nameOf(version, i)));
        simulation.wake();
      }),
  ),
  fc.constantFrom(...versions).map(
    (version) =>
      new Do(`remove ${version}`, (simulation, model) => {
        model.isRemoved ||= simulation.groups.some((group) => group.version === version);
        simulation.groups = simulation.groups.filter((group) => group.version !== version);
        simulation.wake();
      }),
  ),
  fc.tuple(fc.constantFrom(...versions), fc.integer({ min: 0, max: 1 }), fc.boolean()).map(
    ([version, which, ill]) =>
      new Do(`${ill ? 'break' : 'heal'} ${nameOf(version, which)}`, ({ unhealthy }) => {
        if (ill) unhealthy.add(arnOf(nameOf(version, which)));
        else unhealthy.delete(arnOf(nameOf(version, which)));
      }),
  ),
  fc.constantFrom<RequestName>('pause', 'resume', 'promote', 'promoteFull', 'abort', 'retry').map(
    (action) =>
      new Do(action, (simulation, model) => {
        const { rollout } = simulation.state;
        const before = simulation.state;
        simulation.ask(action);
        if (simulation.state === before) return;
        if (action === 'abort' && rollout?.ending === undefined) model.aborted = rollout?.canary.version;
        if (action === 'retry' && !isTakenBack(simulation)) model.aborted = undefined;
      }),
  ),
  fc
    .constantFrom<AnalysisPhase>('Successful', 'Failed', 'Error', 'Inconclusive')
    .map((phase) => new Do(`analysis ${phase}`, (simulation) => simulation.conclude(phase))),
  fc
    .constantFrom<AnalysisPhase>('Successful', 'Failed', 'Inconclusive')
    .map(
      (phase) => new Do(`background ${phase}`, (simulation) => simulation.conclude(phase, 'inBackground')),
    ),
  fc
    .constantFrom(1, 5_000, 60_000, 600_000, 7_200_000, 86_400_000)
    .map((time) => new Do(`pass ${time} ms`, (simulation) => simulation.pass(time))),
];

/** What else may happen. */
const troubles = [
  fc
    .tuple(
      fc.constantFrom(...versions),
      fc.integer({ min: 0, max: 1 }),
      fc.option(fc.constantFrom(...versions), { nil: undefined }),
    )
    .map(
      ([version, which, claim]) =>
        new Do(`label ${nameOf(version, which)} ${claim ?? 'with no version'}`, (simulation, model) => {
          model.isRelabelled = true;
          simulation.groups = simulation.groups.map(({ version: _before, ...group }) =>
            group.name !== nameOf(version, which)
              ? { ...(_before === undefined ? {} : { version: _before }), ...group }
              : { ...group, ...(claim === undefined ? {} : { version: claim }) },
          );
          simulation.wake();
        }),
    ),
  fc.tuple(fc.constantFrom(...stepLists), fc.boolean()).map(
    ([steps, watched]) =>
      new Do(`steps ${JSON.stringify(steps)}${watched ? ' with a background' : ''}`, (simulation) => {
        const background = watched && steps.length > 1 ? { analysis: { ...analysis, startingStep: 1 } } : {};
        const updateStrategy = {
          ...simulation.spec.updateStrategy,
          type: 'Canary' as const,
          canary: { ...simulation.spec.updateStrategy?.canary, steps: [...steps], ...background },
        };
        simulation.edit((spec) => ({ ...spec, updateStrategy }));
        simulation.wake();
      }),
  ),
  fc.option(fc.constantFrom(...versions), { nil: undefined, freq: 1 }).map(
    (version) =>
      new Do(`pin ${version ?? 'nothing'}`, (simulation, model) => {
        simulation.edit(({ version: _old, ...spec }) =>
          version === undefined ? spec : { ...spec, version },
        );
        if (version === model.aborted) model.aborted = undefined;
        simulation.wake();
      }),
  ),
  fc.integer({ min: 1, max: 2 }).map(
    (replicas) =>
      new Do(`replicas ${replicas}`, (simulation) => {
        simulation.edit((spec) => ({ ...spec, replicas }));
        simulation.wake();
      }),
  ),
  fc.constantFrom('a.com', 'b.com').map(
    (host) =>
      new Do(`host ${host}`, (simulation) => {
        simulation.edit((spec) => {
          const block = spec.ingress.awsApplicationLoadBalancer;
          if (block === undefined) return spec;
          const rule = { ...block.listener?.rule, priority: 10, hosts: [host] };
          return {
            ...spec,
            ingress: { ...spec.ingress, awsApplicationLoadBalancer: { ...block, listener: { rule } } },
          };
        });
        simulation.wake();
      }),
  ),
  fc.constantFrom('settle', 'bake', 'deadline', 'windows', 'none', 'none').map(
    (gates) =>
      new Do(`gates: ${gates}`, (simulation) => {
        simulation.edit(
          ({
            progressDeadline: _deadline,
            windows: _windows,
            updateStrategy = { type: 'Canary' },
            ...spec
          }) => {
            const { bake: _bake, ...strategy } = updateStrategy;
            return {
              ...spec,
              settle: gates === 'settle' ? '30s' : '0s',
              ...(gates === 'deadline' ? { progressDeadline: '1h' } : {}),
              ...(gates === 'windows'
                ? { windows: [{ timeZone: 'Europe/Berlin', start: '22:00', end: '04:00' }] }
                : {}),
              updateStrategy:
                gates === 'bake' ? { ...strategy, bake: { duration: '15m', analysis } } : strategy,
            };
          },
        );
        simulation.wake();
      }),
  ),
  fc.constantFrom<'Rollback' | 'Hold'>('Rollback', 'Hold').map(
    (onFailure) =>
      new Do(`on failure: ${onFailure}`, (simulation) => {
        simulation.edit(({ updateStrategy = { type: 'Canary' }, ...spec }) => ({
          ...spec,
          updateStrategy: { ...updateStrategy, canary: { ...updateStrategy.canary, onFailure } },
        }));
        simulation.wake();
      }),
  ),
  rarely.map(
    (holds) =>
      new Do(holds ? 'freeze' : 'thaw', (simulation) => {
        simulation.freezes = holds ? [{ name: 'all', by: 'ops', reason: 'Friday.' }] : [];
        simulation.wake();
      }),
  ),
  fc
    .integer({ min: 1, max: 3 })
    .map((times) => new Do(`refuse ${times} writes`, (simulation) => void (simulation.refusals = times))),
  fc
    .integer({ min: 1, max: 2 })
    .map(
      (times) =>
        new Do(
          `apply ${times} writes and answer 500`,
          (simulation) => void (simulation.lateRefusals = times),
        ),
    ),
  fc
    .tuple(
      fc.constantFrom('Lost' as const, 'Interrupted' as const),
      fc.constantFrom('Nothing' as const, 'Asking' as const, 'Writing' as const, 'Confirming' as const),
    )
    .map(
      ([is, after]) =>
        new Do(`cut a write short after ${after}: ${is}`, ({ cuts }) => void cuts.push({ is, after })),
    ),
  fc
    .integer({ min: 1, max: 3 })
    .map((times) => new Do(`show ${times} reads late`, (simulation) => void (simulation.staleReads = times))),
  fc.constant(new Do('continue in another run', (simulation) => simulation.renew())),
  rarely.map(
    (isWrong) =>
      new Do(isWrong ? 'break the spec' : 'mend the spec', (simulation) => {
        simulation.problems = isWrong ? ['Expected something else.'] : [];
        simulation.wake();
      }),
  ),
  fc.boolean().map(
    (keeps) =>
      new Do(keeps ? 'keep clients' : 'let clients go', (simulation) => {
        keepClients(simulation, keeps);
        simulation.wake();
      }),
  ),
  fc.constantFrom('blind', 'mute', 'well', 'well', 'well').map(
    (how) =>
      new Do(`the API server: ${how}`, (simulation) => {
        simulation.isBlind = how === 'blind';
        simulation.isMute = how === 'mute';
        simulation.wake();
      }),
  ),
  fc.tuple(fc.constantFrom(...versions), fc.boolean()).map(
    ([version, empties]) =>
      new Do(`${empties ? 'empty' : 'fill'} ${nameOf(version, 0)}`, ({ empty }) => {
        if (empties) empty.add(arnOf(nameOf(version, 0)));
        else empty.delete(arnOf(nameOf(version, 0)));
      }),
  ),
  fc
    .constantFrom(...people)
    .map((by) => new Do(`approve by ${by}`, (simulation) => void simulation.approve(by, 'release'))),
  fc.constant(
    new Do('retire the aborted block', (simulation, model) => {
      simulation.status = { ...simulation.status, blockedVersions: [] };
      model.aborted = undefined;
      simulation.wake();
    }),
  ),
  fc.integer({ min: 0, max: 4 }).map(
    (which) =>
      new Do(`someone gives everything to group ${which} of the rule by hand`, (simulation) => {
        const { served } = simulation;
        simulation.drift(
          served.map((one, index) => ({ ...one, weight: index === which % served.length ? 100 : 0 })),
        );
      }),
  ),
  fc.constant(
    new Do('delete the configuration', (simulation) => {
      simulation.isKnown = false;
      simulation.wake();
    }),
  ),
  fc.constant(
    new Do('delete the rule and its configuration', (simulation) => {
      simulation.listener.rules = [];
      simulation.isKnown = false;
      simulation.wake();
    }),
  ),
  fc.constantFrom<LostRun>({ is: 'Unknown' }, { is: 'Terminated', by: 'ann', reason: '' }).map(
    (lost) =>
      new Do(`lose Temporal: ${lost.is}`, (simulation, model) => {
        simulation.loseTemporal(lost);
        forgetAbort(simulation, model);
      }),
  ),
  fc.integer({ min: 0, max: 9 }).map(
    (age) =>
      new Do(`restore Temporal of ${age} events ago`, (simulation, model) => {
        model.backups[age]?.temporal();
        forgetAbort(simulation, model);
      }),
  ),
  fc.integer({ min: 1, max: 9 }).map(
    (age) =>
      new Do(`restore the status of ${age} events ago`, (simulation, model) => {
        model.backups[age]?.status();
        model.isRestored = true;
        forgetAbort(simulation, model);
        simulation.wake();
      }),
  ),
];

/** Forgets an abort that neither the status nor the run knows: the status could not be written, or was restored since. */
function forgetAbort({ status: { blockedVersions = [] }, state }: Simulation, model: Model): void {
  const { rollout, justBlocked } = state;
  const reverting = rollout?.ending === undefined ? undefined : rollout.canary.version;
  const known = [reverting, justBlocked?.version, ...blockedVersions.map(({ version }) => version)];
  if (!known.includes(model.aborted)) model.aborted = undefined;
}

const commands = [...moves, ...moves, ...moves, ...troubles];

/** A Cell to which a newer version comes, with a few steps. */
function beginning(steps: readonly CanaryStep[]): Simulation {
  const simulation = new Simulation({ updateStrategy: { type: 'Canary', canary: { steps: [...steps] } } });
  simulation.provision('1.0.0', nameOf('1.0.0', 0), nameOf('1.0.0', 1));
  simulation.run();
  simulation.provision('2.0.0', nameOf('2.0.0', 0), nameOf('2.0.0', 1));
  simulation.wake();
  return simulation;
}

/** Takes everything away that could hold a Cell up, and lets time pass: then it has to end, and serve everything. */
function comeToAnEnd(simulation: Simulation): void {
  simulation.freezes = [];
  simulation.refusals = 0;
  simulation.lateRefusals = 0;
  simulation.cuts = [];
  simulation.staleReads = 0;
  simulation.problems = [];
  simulation.isBlind = false;
  simulation.isMute = false;
  simulation.empty.clear();
  healing(simulation);
  simulation.edit(({ windows: _windows, ...spec }) => spec);
  // Whoever looks for what others have changed looks again when Temporal was lost.
  simulation.drift(simulation.served);
  simulation.wake();
  for (let round = 0; round < 60; round += 1) {
    simulation.run();
    const { last } = simulation;
    // After a day this is another run, which begins with what the status has.
    if (last.do === 'Close' || (round > 0 && last.do === 'Wait' && last.for === 'Removal')) return;
    simulation.conclude('Successful');
    simulation.ask('resume');
    simulation.ask('promote');
    for (const by of people) simulation.approve(by, 'release');
    simulation.pass(86_400_000);
  }
  throw new Error(`Expected the Cell to come to an end, got ${JSON.stringify(simulation.last)}.`);
}

/** What the statuses of a Cell at rest claim that is not served. */
function untold({ settled, served, told, status, isKnown }: Simulation): readonly string[] {
  // A Cell of which no status was ever confirmed, and that has nothing to install, does not look.
  if (!isKnown || told.length === 0) return [];
  const truth = JSON.stringify(weightsOf(served));
  const claims: readonly [string, readonly WeightedTargetGroup[]][] = [
    ['the configuration', told],
    ['the Cell', status.targetGroups ?? []],
  ];
  const wrong = claims
    .filter(([, groups]) => JSON.stringify(weightsOf(groups)) !== truth)
    .map(([who, groups]) => `I9 ${who} claims ${JSON.stringify(weightsOf(groups))}, ELBv2 serves ${truth}`);
  const carrying = new Set(
    (status.targetGroups ?? []).filter(({ weight }) => weight > 0).map(({ version }) => version),
  );
  const isOver = settled?.outcome === 'Completed' || settled?.outcome === 'Reverted';
  return isOver && carrying.size > 1 ? [...wrong, `${settled.message} But ${truth}`] : wrong;
}

describe('whatever happens to a Cell', () => {
  it(
    `every write keeps the invariants, and it comes to an end (${RUNS} runs)`,
    { timeout: 600_000 + RUNS * 100 },
    () => {
      fc.assert(
        fc.property(fc.commands(commands, { maxCommands: 40, size: 'max' }), first, (list, steps) => {
          const simulation = steps === undefined ? new Simulation() : beginning(steps);
          fc.modelRun(() => ({ model: aModel(), real: simulation }), list);
          comeToAnEnd(simulation);
          expect([0, 100]).toContain(total(simulation.served));
          expect(untold(simulation)).toEqual([]);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    },
  );
});

describe('a rollout of a day', () => {
  it('stays under 2,000 events of history', () => {
    const hours = Array.from({ length: 24 }, (_, hour): CanaryStep[] => [
      { setWeight: (hour + 1) * 4 },
      { analysis },
      { pause: { duration: '55m' } },
    ]).flat();
    const simulation = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps: hours } } });
    simulation.events = 0;
    const began = simulation.now;
    for (let hour = 0; hour < 24; hour += 1) {
      simulation.pass(300_000);
      simulation.conclude('Successful');
      simulation.pass(3_300_000);
    }
    expect(simulation.settled).toMatchObject({ do: 'Close', outcome: 'Completed' });
    expect(simulation.now - began).toBeGreaterThanOrEqual(86_400_000);
    expect(simulation.events).toBeGreaterThan(24 * 20);
    expect(simulation.events).toBeLessThan(2_000);
  });
});
