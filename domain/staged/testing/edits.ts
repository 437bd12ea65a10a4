import type { Stage, StagedBindingPolicySpec } from '../../../crds/staged-binding-policy.ts';
import { aSpec, World } from './world.ts';

/** A workload on three stages, of which the first ones are fulfilled. */
export const three = (more: Partial<StagedBindingPolicySpec> = {}, reached = 3): World => {
  const world = new World(aSpec([{}, {}, {}], more));
  for (let stage = 0; stage < reached; stage += 1) world.fulfilled.add(`s${stage}`);
  world.settle();
  world.done.length = 0;
  return world;
};
/** A stage of the spec. */
export const stage = (world: World, name: string): Stage => {
  const found = world.spec.stages.find((one) => one.name === name);
  if (found === undefined) throw new Error(`Expected stage ${name}.`);
  return found;
};
/** A stage that selects these environments. */
export const of = (name: string, ...values: string[]): Stage => ({
  name,
  clusterSelectors: [{ matchExpressions: [{ key: 'env', operator: 'In', values }] }],
  condition: 'true',
  approval: 'Automatic',
});
/** Names each stage after the other; "s0>europe" is stage s0 under the name europe. */
export function edit(world: World, ...stages: (string | Stage)[]): World {
  const next = stages.map((one) => {
    if (typeof one !== 'string') return one;
    const [from = '', to = from] = one.split('>');
    return { ...stage(world, from), name: to };
  });
  world.spec = { ...world.spec, stages: next };
  return world;
}
/** The environments that selectors name. */
export const envsOf = (selectors: Stage['clusterSelectors']): readonly string[] =>
  selectors.flatMap(({ matchLabels = {}, matchExpressions = [] }) => [
    ...Object.values(matchLabels),
    ...matchExpressions.flatMap(({ values = [] }) => values),
  ]);
/** The environments that some BindingPolicy selects. */
export const reached = (world: World): readonly string[] =>
  world.policies.flatMap(({ uid }) => envsOf(world.selectors.get(uid) ?? []));
