import { quotaOf, type ELBv2 } from '../../clients/aws/elbv2.ts';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../../clients/kubernetes/kinds.ts';
import type {
  AWSApplicationLoadBalancerConfig,
  AWSApplicationLoadBalancerConfigStatus,
} from '../../crds/aws-application-load-balancer-config.ts';
import { remembered } from '../../domain/load-balancers/carried.ts';
import { OWNER_TAG } from '../../domain/kubernetes/labels.ts';
import {
  weightsText,
  type InspectedForwarding,
  type ObservedForwarding,
} from '../../domain/load-balancers/load-balancer.ts';
import { describeDrift } from '../../domain/load-balancers/rule-difference.ts';
import type { ApplyRequest, Drift } from '../contract.ts';
import { applyListenerRule } from './application-apply.ts';
import { forwardedBy, named } from './forward.ts';
import { claimed, describeTag, ownerIn, ownerOf } from './owner.ts';
import type {
  Inspection,
  LoadBalancer,
  LoadBalancerCalls,
  LoadBalancerDependencies,
  Mirrored,
  Writing,
} from './port.ts';
import { fromRule } from './rule-conversion.ts';
import { removeRule, rulesOf } from './rule-removal.ts';
import { forwardedFrom, ruleOf, servedBy } from './rule-forwarding.ts';
import { refuseUnsayable } from './rule-takeover.ts';
import { look } from './rule-write.ts';
import { inCommon, readStickiness } from './target-stickiness.ts';

type Application = 'AWSApplicationLoadBalancer';

/** An Application Load Balancer: one rule of one of its listeners. */
export const applicationLoadBalancer: LoadBalancer<Application> = {
  kind: AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  read({ spec, status }: AWSApplicationLoadBalancerConfig) {
    const served = status === undefined ? undefined : servedIn(status);
    return {
      desired: forwardedFrom(spec.listenerARN, spec.listener.rule),
      ...(served === undefined ? {} : { observed: served }),
      deletionPolicy: spec.deletionPolicy ?? 'Retain',
    };
  },
  spec: (forwarding, deletionPolicy) => ({
    listenerARN: forwarding.listenerARN,
    listener: { rule: ruleOf(forwarding) },
    ...(deletionPolicy === 'Retain' ? {} : { deletionPolicy }),
  }),
  status: (served) => ({
    listenerARN: served.listenerARN,
    ruleARN: served.ruleARN,
    listener: { rule: ruleOf(served) },
    ...(served.carried === undefined ? {} : { carried: served.carried }),
    weights: weightsText(served.targetGroups),
  }),
  quota: ({ listenerARN }) => quotaOf(listenerARN),
  connect,
};

function servedIn({
  listenerARN,
  ruleARN,
  listener,
  carried,
}: AWSApplicationLoadBalancerConfigStatus): ObservedForwarding<Application> | undefined {
  if (listenerARN === undefined || ruleARN === undefined || listener === undefined) return undefined;
  return servedBy(listenerARN, ruleARN, listener.rule, carried);
}

function connect(means: LoadBalancerDependencies): LoadBalancerCalls<Application> {
  const { elbv2: elbv2Of } = means;
  return {
    async apply(asked, writing) {
      const request = await movingAlong(elbv2Of, asked, writing);
      const { forwarding, observed, key } = request;
      const elbv2 = elbv2Of(forwarding.listenerARN);
      const owner = ownerIn(means, key);
      const now = await applyListenerRule({
        request,
        desired: ruleOf(forwarding),
        elbv2,
        owner,
        asks: means.desiredOf,
        writing,
      });
      if (observed !== undefined && hasMoved(observed, now)) {
        // Created at the new place first, so that at no time nothing serves.
        await removeRule(means, { key, forwarding: observed, observed }, writing);
      }
      return now;
    },
    inspect: (request, signal) => inspect(means, request, signal),
    async remove(request, writing) {
      const { forwarding, observed, key } = request;
      await removeRule(means, request, writing);
      if (observed === undefined || observed.listenerARN === forwarding.listenerARN) return;
      // The object was deleted before it had moved to where its spec says.
      await removeRule(means, { key, forwarding: observed, observed }, writing);
    },
    drift: (listenerARN, objects, signal) => drift(means, listenerARN, { objects, signal }),
  };
}

/** A rule that moves to another listener takes along what it does now, and not only what it did when it was read last. */
async function movingAlong(
  elbv2Of: LoadBalancerDependencies['elbv2'],
  request: ApplyRequest<Application>,
  writing: Writing,
): Promise<ApplyRequest<Application>> {
  const { observed, forwarding } = request;
  if (observed?.ruleARN === undefined || observed.listenerARN === forwarding.listenerARN) return request;
  const found = await look(elbv2Of(observed.listenerARN), request, observed.ruleARN, writing);
  if (found.is !== 'Rule') return request;
  return {
    ...request,
    observed: { ...observed, carried: remembered(observed.carried ?? {}, found.carried) },
  };
}

const hasMoved = (before: ObservedForwarding<Application>, now: ObservedForwarding<Application>): boolean =>
  before.ruleARN !== now.ruleARN &&
  (before.listenerARN !== now.listenerARN || before.rule.priority !== now.rule.priority);

async function inspect(
  means: LoadBalancerDependencies,
  request: Inspection,
  signal: AbortSignal,
): Promise<InspectedForwarding> {
  const { route, key, adopt, selected } = request;
  if (route.type !== 'AWSApplicationLoadBalancer') return { is: 'Nothing' };
  const elbv2 = means.elbv2(route.listenerARN);
  const priority = String(route.rule.priority);
  const rules = await elbv2.rulesOf(route.listenerARN, signal);
  const rule = rules.find((one) => one.IsDefault !== true && one.Priority === priority);
  if (rule === undefined) return { is: 'Nothing' };
  const ruleARN = rule.RuleArn ?? '';
  const [owner, tag] = await Promise.all([ownerIn(means, key)(), ownerOf(elbv2, ruleARN, signal)]);
  const claim = { owner, adopt, what: `priority ${priority} of the listener` };
  if (claimed(claim, ruleARN, tag) === 'TakeOver') refuseUnsayable(rule, route.rule);
  return { is: 'Serving', targetGroups: named(forwardedBy(rule.Actions), selected) };
}

async function drift(
  means: LoadBalancerDependencies,
  listenerARN: string,
  { objects, signal }: { objects: readonly Mirrored<Application>[]; signal: AbortSignal },
): Promise<readonly Drift[]> {
  const elbv2 = means.elbv2(listenerARN);
  const rules = await rulesOf(elbv2, listenerARN, signal);
  const tags = await tagsOfServed(elbv2, rules, { objects, signal });
  const installation = await means.installation();
  const found: Drift[] = [];
  for (const { key, observed: served } of objects) {
    const rule = rules.find((one) => one.RuleArn === served.ruleARN);
    const wanted = ruleOf(served);
    const { targetStickiness } = wanted.forward;
    if (rule === undefined) {
      found.push({ key, difference: 'The rule is gone.' });
      continue;
    }
    const got = fromRule(rule, wanted);
    const arns = targetStickiness === undefined ? [] : got.rule.forward.targetGroups.map(({ arn }) => arn);
    const keeping = inCommon(await readStickiness(elbv2, arns, signal), targetStickiness);
    const forward = { ...got.rule.forward, ...(keeping === undefined ? {} : { targetStickiness: keeping }) };
    const last = { rule: wanted, carried: served.carried ?? {} };
    const differs = describeDrift(last, { ...got, rule: { ...got.rule, forward } });
    const whose = describeTag({ key, installation }, tags.get(served.ruleARN ?? '')?.[OWNER_TAG]);
    const difference = [differs, whose].filter((text) => text !== undefined).join(' ');
    if (difference !== '') found.push({ key, difference });
  }
  return found;
}

/** The tags of the rules that serve objects, as far as there are such rules. */
function tagsOfServed(
  elbv2: ELBv2,
  rules: Awaited<ReturnType<ELBv2['rulesOf']>>,
  { objects, signal }: { objects: readonly Mirrored<Application>[]; signal: AbortSignal },
): ReturnType<ELBv2['tagsOfAll']> {
  const there = new Set(rules.map(({ RuleArn = '' }) => RuleArn));
  const arns = objects.map(({ observed }) => observed.ruleARN ?? '').filter((arn) => there.has(arn));
  return elbv2.tagsOfAll(arns, signal);
}
