import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Stage } from '../../crds/staged-binding-policy.ts';
import type { StagedDecision } from './decision.ts';
import { stagedRefusal } from './requests.ts';
import { isPassed, phaseOf, stagedRequestNames } from './state.ts';
import { aSpec, World } from './testing/world.ts';

const edits = fc.record({
  is: fc.constantFrom('Rename', 'Merge', 'Split', 'Delete', 'Insert', 'Move', 'Give', 'Exchange'),
  at: fc.nat(7),
  to: fc.nat(7),
});

const events = fc.oneof(
  { weight: 4, arbitrary: fc.array(edits, { minLength: 1, maxLength: 3 }) },
  { weight: 3, arbitrary: fc.constantFrom('Fulfil', 'Late') },
  { weight: 2, arbitrary: fc.constantFrom(...stagedRequestNames) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('Undo', 'Freeze', 'Thaw', 'Unbind', 'Bind', 'Forget', 'Lose'),
  },
);

type Event = typeof events extends fc.Arbitrary<infer One> ? One : never;
type Edit = typeof edits extends fc.Arbitrary<infer One> ? One : never;

const valuesOf = (selectors: Stage['clusterSelectors']): readonly string[] =>
  selectors.flatMap(({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values));

const aStage = (name: string, values: readonly string[]): Stage => ({
  name,
  clusterSelectors: [{ matchExpressions: [{ key: 'env', operator: 'In', values: [...values] }] }],
  condition: 'true',
  approval: 'Automatic',
  timeout: '1h',
  onTimeout: 'RollBack',
});

/** A StagedBindingPolicy whose stages are edited; each kind of cluster is selected by one stage at most. */
class Edited {
  readonly world: World;
  #names = 0;
  #values = 4;
  #before: readonly Stage[];

  constructor(stageRetention: 'Keep' | 'Remove') {
    const stages = [0, 1, 2, 3].map((one) => aStage(`s${one}`, [`v${one}`]));
    this.#before = stages;
    this.world = new World({ ...aSpec([], { stageRetention }), stages });
  }

  happen(event: Event): void {
    const { world } = this;
    if (typeof event !== 'string') {
      // Clusters that go from one stage to another do so by an edit of their own.
      const own = event.find(({ is }) => is === 'Give' || is === 'Exchange');
      const all = own === undefined ? event : [own];
      this.#become(
        all.reduce<readonly Stage[]>((stages, edit) => this.#edited(stages, edit), world.spec.stages),
      );
    } else if (event === 'Undo') this.#become(this.#before);
    else if (event === 'Fulfil') world.fulfilled.add(world.state.active?.name ?? '');
    else if (event === 'Late') {
      // The workload is edited, and that is not fulfilled anywhere.
      world.version += 1;
      world.fulfilled.clear();
    } else if (event === 'Freeze') world.freezes = [{ name: 'f', by: 'ops', reason: 'x.' }];
    else if (event === 'Thaw') world.freezes = [];
    else if (event === 'Unbind' || event === 'Bind') world.binds = event === 'Bind';
    else if (event === 'Forget' || event === 'Lose') {
      world.forget();
      if (event === 'Lose') world.status = {};
    } else world.ask(event);
  }

  #become(stages: readonly Stage[]): void {
    this.#before = this.world.spec.stages;
    this.world.spec = { ...this.world.spec, stages: [...stages] };
  }

  /** Clusters go from one stage to another. */
  #given(stages: readonly Stage[], { is, at, to }: Edit): readonly Stage[] {
    const { state, spec } = this.world;
    const [one, other] = [stages[at], stages[to]];
    const hasBegun = ({ name }: Stage): boolean => name === state.active?.name || isPassed(state, name);
    // A stage that has not begun gets its clusters when it does, and what takes the place of a stage that is gone is gone through.
    const isAlone = stages === spec.stages && (state.gone ?? []).length === 0;
    if (one === undefined || other === undefined || at === to || !isAlone) return stages;
    const [own, others] = [valuesOf(one.clusterSelectors), valuesOf(other.clusterSelectors)];
    if (!hasBegun(one) || !hasBegun(other) || (is === 'Give' && own.length < 2)) return stages;
    const [given, kept] = is === 'Give' ? [own.slice(0, 1), own.slice(1)] : [own, others];
    const got = is === 'Give' ? [...others, ...given] : given;
    return stages.with(at, aStage(one.name, kept)).with(to, aStage(other.name, got));
  }

  #edited(stages: readonly Stage[], { is, at, to }: Edit): readonly Stage[] {
    const index = at % stages.length;
    const one = stages[index];
    const next = stages[index + 1];
    if (one === undefined) return stages;
    const values = valuesOf(one.clusterSelectors);
    this.#names += 1;
    const name = `n${this.#names}`;
    if (is === 'Rename') return stages.with(index, { ...one, name });
    if (is === 'Merge' && next !== undefined) {
      return stages.toSpliced(index, 2, aStage(name, [...values, ...valuesOf(next.clusterSelectors)]));
    }
    if (is === 'Split' && values.length > 1) {
      return stages.toSpliced(
        index,
        1,
        aStage(`${name}a`, values.slice(0, 1)),
        aStage(`${name}b`, values.slice(1)),
      );
    }
    if (is === 'Delete' && stages.length > 1) return stages.toSpliced(index, 1);
    if (is === 'Insert' && stages.length < 8) {
      this.#values += 1;
      return stages.toSpliced(index, 0, aStage(name, [`v${this.#values}`]));
    }
    if (is === 'Give' || is === 'Exchange')
      return this.#given(stages, { is, at: index, to: to % stages.length });
    if (is === 'Move') return stages.toSpliced(index, 1).toSpliced(to % stages.length, 0, one);
    return stages;
  }
}

/** The kinds of clusters that something takes the workload from, though a stage selects them that was not taken back. */
function lost(world: World, decision: StagedDecision): readonly string[] {
  const { state, spec } = world;
  if (decision.do !== 'Remove' || state.rollingBack !== undefined) return [];
  const reachedBy = (uid: string): readonly string[] => valuesOf(world.selectors.get(uid) ?? []);
  const isAsked = (value: string): boolean =>
    spec.stages.some(
      ({ name, clusterSelectors }) =>
        valuesOf(clusterSelectors).includes(value) &&
        phaseOf(state, name) !== 'RolledBack' &&
        (spec.stageRetention === 'Keep' || !isPassed(state, name)),
    );
  const isReached = (value: string): boolean =>
    world.policies.some(
      ({ uid, stage }) => uid !== decision.uid && world.isBound(stage) && reachedBy(uid).includes(value),
    );
  return reachedBy(decision.uid).filter((value) => isAsked(value) && !isReached(value));
}

/** The kinds of clusters that an edited BindingPolicy leaves, though a stage that has begun selects them and does not reach them yet. */
function left(world: World, decision: StagedDecision): readonly string[] {
  const { state, spec } = world;
  if (decision.do !== 'Apply' || decision.keepsFormer === true || state.rollingBack !== undefined) return [];
  const own = world.policies.find(({ stage }) => stage === decision.stage);
  const asked = spec.stages.find(({ name }) => name === decision.stage);
  if (own === undefined || asked === undefined) return [];
  const selected = valuesOf(asked.clusterSelectors);
  const begun = spec.stages.filter(
    ({ name }) => name === state.active?.name || (spec.stageRetention === 'Keep' && isPassed(state, name)),
  );
  const wanted = begun.flatMap(({ clusterSelectors }) => valuesOf(clusterSelectors));
  const bound = world.policies.filter(({ stage, uid }) => uid !== own.uid && world.isBound(stage));
  const reached = bound.flatMap(({ uid }) => valuesOf(world.selectors.get(uid) ?? []));
  return valuesOf(world.selectors.get(own.uid) ?? []).filter(
    (value) => !selected.includes(value) && wanted.includes(value) && !reached.includes(value),
  );
}

/** The kinds of clusters that some BindingPolicy selects, but for one. */
const reachedIn = ({ policies, selectors }: World, but?: string): readonly string[] =>
  policies.flatMap(({ uid }) => (uid === but ? [] : valuesOf(selectors.get(uid) ?? [])));

/** The kinds of clusters that the BindingPolicies of stages select that are passed or completed. */
const passedIn = ({ state, policies, selectors }: World): readonly string[] =>
  policies
    .filter(
      ({ stage }) =>
        isPassed(state, stage) || (stage === state.active?.name && state.active.completedAt !== undefined),
    )
    .flatMap(({ uid }) => valuesOf(selectors.get(uid) ?? []));

/** The kinds of clusters that the workload is taken from because a stage is late. */
function takenBackByItself(world: World, decision: StagedDecision): readonly string[] {
  if (decision.do !== 'Remove' || world.state.rollingBack?.reason !== 'TimedOut') return [];
  const others = reachedIn(world, decision.uid);
  return valuesOf(world.selectors.get(decision.uid) ?? []).filter((value) => !others.includes(value));
}

/** The stages that a stage is begun before, though they come first. */
function skipped({ state, spec }: World, decision: StagedDecision): readonly string[] {
  if (decision.do !== 'Apply' || state.rollingBack !== undefined) return [];
  const names = spec.stages.map(({ name }) => name);
  const ahead = names.slice(0, names.indexOf(decision.stage));
  const isPlacedAlready = isPassed(state, decision.stage) || decision.found !== undefined;
  return isPlacedAlready
    ? []
    : ahead
        .slice(ahead.findLastIndex((name) => isPassed(state, name)) + 1)
        .filter((name) => phaseOf(state, name) === 'Pending');
}

describe('whatever is edited in the stages of a StagedBindingPolicy', () => {
  it('takes the workload from no cluster that a stage selects, skips no stage, and leaves nothing behind', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Keep' as const, 'Remove' as const),
        fc.array(events, { maxLength: 25 }),
        (stageRetention, happened) => {
          const edited = new Edited(stageRetention);
          const { world } = edited;
          let served: readonly string[] = [];
          const watch = (decision: StagedDecision): void => {
            expect([...lost(world, decision), ...left(world, decision)]).toEqual([]);
            const reached = reachedIn(world);
            expect(takenBackByItself(world, decision).filter((value) => served.includes(value))).toEqual([]);
            served = [...served, ...passedIn(world)].filter((value) => reached.includes(value));
            const stage = decision.do === 'Apply' ? decision.stage : '';
            const own = world.spec.stages.find(({ name }) => name === stage);
            const isKnown = valuesOf(own?.clusterSelectors ?? []).some((value) => reached.includes(value));
            expect(isKnown ? [] : skipped(world, decision)).toEqual([]);
          };
          world.settle(watch);
          for (const event of happened) {
            edited.happen(event);
            world.settle(watch);
            if (event !== 'Late') continue;
            world.now += 3_600_000;
            world.settle(watch);
          }
          world.binds = true;
          world.freezes = [];
          for (let times = 0; times < 12; times += 1) {
            for (const { name } of world.spec.stages) world.fulfilled.add(name);
            for (const name of ['resume', 'retry'] as const) {
              if (stagedRefusal(world.state, name) === undefined) world.ask(name);
            }
            world.settle(watch);
          }
          expect(world.status.phase).toBe('Completed');
          const names = world.spec.stages.map(({ name }) => name);
          expect(world.placed.filter((name) => !names.includes(name))).toEqual([]);
          const silent = world.status.stages?.filter(
            ({ phase, reason }) => phase === 'Pending' && reason === undefined,
          );
          expect(silent).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
