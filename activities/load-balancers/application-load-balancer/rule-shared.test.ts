import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownershipOf, ownerTag, type Owner } from '../../../domain/load-balancers/owner-tag.ts';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import { reasonOf } from '../../failure.ts';
import { applicationLoadBalancer } from './application-load-balancer.ts';
import { anyWriting, applyTo, forwarding, dependenciesWith } from './testing/apply.ts';
import { aListener, listenerARN, type FakeListener } from './testing/listener.ts';

const { OKRA_MODEL_RUNS } = process.env;
const priorities = [10, 20] as const;
/** Two objects of an installation, and a namesake in another. */
const owners: readonly Owner[] = [
  { key: { namespace: 'default', name: 'web' }, installation: 'here' },
  { key: { namespace: 'default', name: 'api' }, installation: 'here' },
  { key: { namespace: 'default', name: 'web' }, installation: 'there' },
];
type Served = ObservedForwarding<'AWSApplicationLoadBalancer'>;

/** What one object does, or someone by hand; `lost` reads fail meanwhile. */
const steps = fc.record({
  owner: fc.constantFrom(...owners),
  does: fc.constantFrom('apply', 'apply', 'apply', 'apply', 'remove', 'forget', 'tag', 'move', 'delete'),
  priority: fc.constantFrom(...priorities),
  weight: fc.constantFrom(0, 50, 100),
  adopt: fc.constantFrom(false, false, false, true),
  verify: fc.boolean(),
  urgent: fc.boolean(),
  tag: fc.constantFrom(...owners.map(ownerTag), 'x'),
  lost: fc.constantFrom(0, 0, 0, 1, 2),
});
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

interface Kept {
  readonly rule: Rule;
  readonly owner: string | undefined;
}

/** The rules with their tags, by ARN. */
async function rulesOf({ elbv2 }: FakeListener): Promise<ReadonlyMap<string, Kept>> {
  const rules = await elbv2.rulesOf(listenerARN);
  const tags = await elbv2.tagsOfAll(rules.map(({ RuleArn = '' }) => RuleArn));
  return new Map(
    rules.map((rule) => [
      rule.RuleArn ?? '',
      { rule, owner: tags.get(rule.RuleArn ?? '')?.['okra.mumo.co/owner'] },
    ]),
  );
}

/** Does by hand what a step says. */
async function byHand(listener: FakeListener, { does, priority, tag }: Step): Promise<void> {
  const ruleARN = listener.rule(priority)?.RuleArn;
  if (ruleARN === undefined) return;
  if (does === 'tag') listener.change(priority, { owner: tag });
  if (does === 'delete') listener.remove(priority);
  const free = priorities.find((other) => listener.rule(other) === undefined);
  if (does === 'move' && free !== undefined) await listener.elbv2.setPriority(ruleARN, free);
}

/** Has an object apply or remove what it asks for; answers what is served, or why it was refused. */
async function act(
  listener: FakeListener,
  step: Step,
  observed: Served | undefined,
): Promise<Served | string> {
  const { owner, does, priority, weight, lost, adopt, verify, urgent } = step;
  const { key, installation } = owner;
  const dependencies = dependenciesWith(listener, installation);
  const weights = { a: weight, [key.name]: 100 - weight };
  const asked = { key, forwarding: forwarding(weights, {}, { priority }), ...(observed && { observed }) };
  if (does === 'remove') {
    await applicationLoadBalancer.connect(dependencies).remove(asked, anyWriting);
    return 'removed';
  }
  listener.failReads(lost);
  try {
    const how = { adopt, verify, urgent };
    return await applyTo(listener, {}, { ...asked, ...how }, {}, dependencies);
  } catch (error) {
    return error instanceof Error ? reasonOf(error) : '';
  } finally {
    listener.failReads(0);
  }
}

/** What a step has done that it may not. */
function wrongIn(
  { owner, does, adopt, verify }: Step,
  came: Served | string,
  [before, after]: readonly [ReadonlyMap<string, Kept>, ReadonlyMap<string, Kept>],
): readonly string[] {
  const isForeign = (kept: Kept | undefined): boolean => ownershipOf(owner, kept?.owner) === 'Foreign';
  const isSame = JSON.stringify([...before]) === JSON.stringify([...after]);
  const others = [...before].filter(([, kept]) => isForeign(kept) && !(adopt && does === 'apply'));
  const touched = others.filter(([arn, kept]) => JSON.stringify(after.get(arn)) !== JSON.stringify(kept));
  const rule = typeof came === 'string' ? undefined : after.get(came.ruleARN ?? '');
  // What only the status has told of, and what nothing was written to, nobody has looked at.
  const isLookedAt = typeof came !== 'string' && (verify || !isSame);
  return [
    ...touched.map(([arn]) => `wrote ${arn} of another`),
    ...(came === 'Conflict' && !isSame ? ['wrote, and was refused'] : []),
    ...(isLookedAt && (rule === undefined || isForeign(rule)) ? ['serves by what it does not own'] : []),
  ];
}

it('a rule is written by its owner alone, and a Conflict has written nothing', async () => {
  const list = fc.array(steps, { maxLength: 14, size: 'max' });
  const play = async (all: readonly Step[]): Promise<void> => {
    const listener = aListener();
    const served = new Map<Owner, Served>();
    for (const step of all) {
      const { owner, does } = step;
      const before = await rulesOf(listener);
      await byHand(listener, step);
      if (does === 'forget') served.delete(owner);
      if (does !== 'apply' && does !== 'remove') continue;
      const came = await act(listener, step, served.get(owner));
      if (does === 'remove') served.delete(owner);
      if (typeof came !== 'string') served.set(owner, came);
      const wrong = wrongIn(step, came, [before, await rulesOf(listener)]);
      expect({ step, wrong }).toEqual({ step, wrong: [] });
    }
  };
  const numRuns = Number(OKRA_MODEL_RUNS ?? 100);
  await fc.assert(fc.asyncProperty(list, play), {
    numRuns,
    ...(OKRA_MODEL_RUNS === undefined ? { seed: 20_261_124 } : {}),
  });
});
