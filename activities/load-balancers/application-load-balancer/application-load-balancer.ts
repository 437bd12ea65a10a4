import { regionOf, type ELBv2 } from '../../../clients/aws/elbv2.ts';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../../../clients/kubernetes/kinds.ts';
import type { ApplicationLoadBalancerShape } from '../../../domain/load-balancers/application-load-balancer/application-load-balancer.ts';
import type { AWSApplicationLoadBalancerConfig } from '../../../crds/load-balancers/application-load-balancer.ts';
import {
  mergeCarried,
  describeDrift,
} from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { OWNER_TAG } from '../../../domain/kubernetes/labels.ts';
import { given } from '../../../domain/model/fields.ts';
import {
  weightsText,
  type InspectedForwarding,
  type ObservedForwarding,
} from '../../../domain/load-balancers/load-balancer.ts';
import type { Drift } from '../../contract.ts';
import { applyListenerRule } from './rule-apply.ts';
import { forwardedBy } from '../forward.ts';
import { claimed, describeTag, ownerIn, ownerOf, refuseManaged, ownerIfShown } from '../owner.ts';
import type {
  Inspection,
  LoadBalancer,
  LoadBalancerCalls,
  LoadBalancerDependencies,
  Mirrored,
  Writing,
  ApplyRequest,
  RemoveRequest,
} from '../port.ts';
import { fromRule, servedBy, isRuleOf } from './rule-conversion.ts';
import { onceReady } from '../reads.ts';
import { refuseUnsayable } from './rule-find.ts';
import { readCarried } from './rule-write.ts';
import { zonesOf } from '../zones.ts';
import { inCommon, readStickiness } from './target-stickiness.ts';
import { ownershipOf } from '../../../domain/load-balancers/owner-tag.ts';
import { awsErrorType, unlessError } from '../../failure.ts';

type Application = 'AWSApplicationLoadBalancer';

/** An Application Load Balancer: one rule of one of its listeners. */
export const applicationLoadBalancer: LoadBalancer<ApplicationLoadBalancerShape> = {
  kind: AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  read({ spec, status = {} }: AWSApplicationLoadBalancerConfig) {
    const { listenerARN, ruleARN, listener, carried } = status;
    const isServed = listenerARN !== undefined && ruleARN !== undefined && listener !== undefined;
    return {
      desired: { type: 'AWSApplicationLoadBalancer', listenerARN: spec.listenerARN, listener: spec.listener },
      ...(isServed ? { observed: servedBy(listenerARN, ruleARN, listener.rule, carried) } : {}),
      deletionPolicy: spec.deletionPolicy ?? 'Retain',
    };
  },
  spec: ({ listenerARN, listener }, deletionPolicy) => ({
    listenerARN,
    listener,
    ...(deletionPolicy === 'Retain' ? {} : { deletionPolicy }),
  }),
  status: ({ listenerARN, ruleARN, listener, carried }) => ({
    listenerARN,
    ruleARN,
    listener,
    ...given({ carried }),
    weights: weightsText(listener.rule.forward.targetGroups),
  }),
  selector: (listenerARN) => `spec.listenerARN=${listenerARN}`,
  quota: ({ listenerARN }) => regionOf(listenerARN),
  connect,
};

function connect(dependencies: LoadBalancerDependencies): LoadBalancerCalls<ApplicationLoadBalancerShape> {
  const { elbv2: elbv2Of } = dependencies;
  return {
    async apply(asked, permitted) {
      const elbv2 = elbv2Of(asked.forwarding.listenerARN);
      const writing = onceReady(elbv2, permitted);
      const request = await movingAlong(elbv2Of, asked, writing);
      const { forwarding, observed, key } = request;
      const of = { request, desired: forwarding.listener.rule, elbv2, owner: ownerIn(dependencies, key) };
      const now = await applyListenerRule({ ...of, asks: dependencies.desiredOf, writing });
      if (observed !== undefined && hasMoved(observed, now)) {
        // Created at the new place first, so that at no time nothing serves.
        await removeRule(dependencies, { key, forwarding: observed, observed }, writing);
      }
      return now;
    },
    inspect: (request, signal) => inspect(dependencies, request, signal),
    async remove(request, permitted) {
      const { forwarding, observed, key } = request;
      const writing = onceReady(elbv2Of(forwarding.listenerARN), permitted);
      await removeRule(dependencies, request, writing);
      if (observed === undefined || observed.listenerARN === forwarding.listenerARN) return;
      // The object was deleted before it had moved to where its spec says.
      await removeRule(dependencies, { key, forwarding: observed, observed }, writing);
    },
    drift: (listenerARN, objects, signal) => drift(dependencies, listenerARN, { objects, signal }),
    zonesOf: ({ listenerARN }, gaining, signal) =>
      zonesOf(elbv2Of(listenerARN), listenerARN, { gaining, signal }),
  };
}

/** A rule that moves to another listener takes along what it does now, and not only what it did when it was read last. */
async function movingAlong(
  elbv2Of: LoadBalancerDependencies['elbv2'],
  request: ApplyRequest<ApplicationLoadBalancerShape>,
  writing: Writing,
): Promise<ApplyRequest<ApplicationLoadBalancerShape>> {
  const { observed, forwarding } = request;
  if (observed?.ruleARN === undefined || observed.listenerARN === forwarding.listenerARN) return request;
  const found = await readCarried(elbv2Of(observed.listenerARN), request, observed.ruleARN, writing);
  if (found.is !== 'Rule') return request;
  const carried = mergeCarried(observed.carried ?? {}, found.carried);
  return { ...request, observed: { ...observed, carried } };
}

const hasMoved = (before: ObservedForwarding<Application>, now: ObservedForwarding<Application>): boolean =>
  before.ruleARN !== now.ruleARN &&
  (before.listenerARN !== now.listenerARN || before.listener.rule.priority !== now.listener.rule.priority);

async function inspect(
  dependencies: LoadBalancerDependencies,
  request: Inspection<ApplicationLoadBalancerShape>,
  signal: AbortSignal,
): Promise<InspectedForwarding> {
  const { route, key, adopt, selected } = request;
  const elbv2 = dependencies.elbv2(route.listenerARN);
  const priority = String(route.listener.rule.priority);
  const [rules, tags] = await Promise.all([
    elbv2.rulesOf(route.listenerARN, signal),
    elbv2.tagsOf(route.listenerARN, signal),
  ]);
  refuseManaged(route.listenerARN, tags);
  const rule = rules.find((one) => one.Priority === priority);
  if (rule === undefined) return { is: 'Nothing' };
  const ruleARN = rule.RuleArn ?? '';
  const [owner, tag] = await Promise.all([ownerIn(dependencies, key)(), ownerOf(elbv2, ruleARN, signal)]);
  const claim = { owner, adopt, what: `priority ${priority} of the listener` };
  if (claimed(claim, ruleARN, tag) === 'TakeOver') refuseUnsayable(rule, route.listener.rule);
  return { is: 'Serving', targetGroups: forwardedBy(rule.Actions, selected) };
}

async function drift(
  dependencies: LoadBalancerDependencies,
  listenerARN: string,
  { objects, signal }: { objects: readonly Mirrored<ApplicationLoadBalancerShape>[]; signal: AbortSignal },
): Promise<readonly Drift[]> {
  const elbv2 = dependencies.elbv2(listenerARN);
  const rules = await rulesOf(elbv2, listenerARN, signal);
  const tags = await tagsOfServed(elbv2, rules, { objects, signal });
  const installation = await dependencies.installation();
  const found: Drift[] = [];
  for (const { key, observed: served } of objects) {
    const rule = rules.find((one) => one.RuleArn === served.ruleARN);
    const wanted = served.listener.rule;
    const { targetStickiness } = wanted.forward;
    if (rule === undefined) {
      found.push({ key, difference: 'The rule is gone.' });
      continue;
    }
    const got = fromRule(rule, wanted);
    const arns = targetStickiness === undefined ? [] : got.rule.forward.targetGroups.map(({ arn }) => arn);
    const keeping = inCommon(await readStickiness(elbv2, arns, signal), targetStickiness);
    const forward = { ...got.rule.forward, ...given({ targetStickiness: keeping }) };
    const last = { rule: wanted, carried: served.carried ?? {} };
    const differs = describeDrift(last, { ...got, rule: { ...got.rule, forward } });
    const whose = describeTag({ key, installation }, tags.get(served.ruleARN ?? '')?.[OWNER_TAG]);
    const difference = [differs, whose].filter((text) => text !== undefined).join(' ');
    if (difference !== '') found.push({ key, difference });
  }
  return found;
}

function tagsOfServed(
  elbv2: ELBv2,
  rules: Awaited<ReturnType<ELBv2['rulesOf']>>,
  { objects, signal }: { objects: readonly Mirrored<ApplicationLoadBalancerShape>[]; signal: AbortSignal },
): ReturnType<ELBv2['tagsOfAll']> {
  const there = new Set(rules.map(({ RuleArn = '' }) => RuleArn));
  const arns = objects.map(({ observed }) => observed.ruleARN ?? '').filter((arn) => there.has(arn));
  return elbv2.tagsOfAll(arns, signal);
}

/** Deletes the rule that the status names, or that has the priority, if its tag names the object; by the status where ELBv2 does not show it or its tags. */
async function removeRule(
  dependencies: LoadBalancerDependencies,
  { key, forwarding, observed }: RemoveRequest<ApplicationLoadBalancerShape>,
  { permit, signal }: Writing,
): Promise<void> {
  const elbv2 = dependencies.elbv2(forwarding.listenerARN);
  const priority = String(forwarding.listener.rule.priority);
  const rules = await rulesOf(elbv2, forwarding.listenerARN, signal);
  const candidates = rules.filter((rule) => rule.RuleArn === observed?.ruleARN || rule.Priority === priority);
  const { ruleARN } = observed ?? {};
  const isHere = ruleARN !== undefined && isRuleOf(forwarding.listenerARN, ruleARN);
  const isHidden = isHere && !rules.some((rule) => rule.RuleArn === ruleARN);
  if (candidates.length === 0 && !isHidden) return;
  const owner = await ownerIn(dependencies, key)();
  if (isHidden) {
    // It is gone, or too new to be shown.
    const tag = await ownerIfShown(elbv2, ruleARN, signal);
    if (tag === undefined || ownershipOf(owner, tag) === 'Ours') {
      await permit();
      await elbv2.deleteRule(ruleARN).catch(unlessDenied);
    }
  }
  for (const { RuleArn = '' } of candidates) {
    if (ownershipOf(owner, await ownerOf(elbv2, RuleArn, signal)) !== 'Ours') continue;
    await permit();
    await elbv2.deleteRule(RuleArn);
  }
}

// By a policy that goes by tags, AWS refuses what is not there, as that has none.
function unlessDenied(error: unknown): void {
  if (awsErrorType(error) !== 'AccessDenied') throw error;
}

/** The rules of a listener; none where there is no such listener. */
const rulesOf = async (elbv2: ELBv2, listenerARN: string, signal: AbortSignal) =>
  (await unlessError('ListenerNotFound', elbv2.rulesOf(listenerARN, signal))) ?? [];
