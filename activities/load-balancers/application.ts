import { quotaOf, type ELBv2 } from '../../clients/elbv2.ts';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../../clients/kinds.ts';
import type {
  AWSApplicationLoadBalancerConfig,
  AWSApplicationLoadBalancerConfigStatus,
} from '../../crds/aws-application-load-balancer-config.ts';
import { remembered } from '../../domain/carried.ts';
import { ownerTag } from '../../domain/ids.ts';
import { weightsText, type Found, type Served } from '../../domain/load-balancer.ts';
import { describeDrift } from '../../domain/rule-difference.ts';
import type { ApplyRequest, Drift, InspectRequest, RemoveRequest } from '../contract.ts';
import { awsErrorType } from '../failure.ts';
import { applyListenerRule } from './application-apply.ts';
import { forwardedBy, named } from './forward.ts';
import { hasToTakeOver, ownerOf } from './owner.ts';
import type { LoadBalancer, LoadBalancerCalls, Means, Mirrored, Writing } from './port.ts';
import { fromRule } from './rule-conversion.ts';
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
      asked: forwardedFrom(spec.listenerARN, spec.listener.rule),
      ...(served === undefined ? {} : { served }),
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
}: AWSApplicationLoadBalancerConfigStatus): Served<Application> | undefined {
  if (listenerARN === undefined || ruleARN === undefined || listener === undefined) return undefined;
  return servedBy(listenerARN, ruleARN, listener.rule, carried);
}

function connect({ elbv2: elbv2Of }: Means): LoadBalancerCalls<Application> {
  return {
    async apply(asked, writing) {
      const request = await movingAlong(elbv2Of, asked, writing);
      const { forwarding, served, key } = request;
      const elbv2 = elbv2Of(forwarding.listenerARN);
      const now = await applyListenerRule({ request, wanted: ruleOf(forwarding), elbv2, writing });
      if (served !== undefined && hasMoved(served, now)) {
        // Created at the new place first, so that at no time nothing serves.
        await remove(elbv2Of(served.listenerARN), { key, forwarding: served, served }, writing);
      }
      return now;
    },
    inspect: (request, signal) => inspect(elbv2Of(request.route.listenerARN), request, signal),
    async remove(request, writing) {
      const { forwarding, served, key } = request;
      await remove(elbv2Of(forwarding.listenerARN), request, writing);
      if (served === undefined || served.listenerARN === forwarding.listenerARN) return;
      // The object was deleted before it had moved to where its spec says.
      await remove(elbv2Of(served.listenerARN), { key, forwarding: served, served }, writing);
    },
    drift: (listenerARN, objects, signal) => drift(elbv2Of(listenerARN), listenerARN, { objects, signal }),
  };
}

/** A rule that moves to another listener takes along what it does now, and not only what it did when it was read last. */
async function movingAlong(
  elbv2Of: Means['elbv2'],
  request: ApplyRequest<Application>,
  writing: Writing,
): Promise<ApplyRequest<Application>> {
  const { served, forwarding } = request;
  if (served?.ruleARN === undefined || served.listenerARN === forwarding.listenerARN) return request;
  const found = await look(elbv2Of(served.listenerARN), request, served.ruleARN, writing);
  if (found.is !== 'Rule') return request;
  return { ...request, served: { ...served, carried: remembered(served.carried ?? {}, found.carried) } };
}

const hasMoved = (before: Served<Application>, now: Served<Application>): boolean =>
  before.ruleARN !== now.ruleARN &&
  (before.listenerARN !== now.listenerARN || before.rule.priority !== now.rule.priority);

async function inspect(elbv2: ELBv2, request: InspectRequest, signal: AbortSignal): Promise<Found> {
  const { route, key, adopt, selected } = request;
  if (route.type !== 'AWSApplicationLoadBalancer') return { is: 'Nothing' };
  const priority = String(route.rule.priority);
  const rules = await elbv2.rulesOf(route.listenerARN, signal);
  const rule = rules.find((one) => one.IsDefault !== true && one.Priority === priority);
  if (rule === undefined) return { is: 'Nothing' };
  const ruleARN = rule.RuleArn ?? '';
  const owner = await ownerOf(elbv2, ruleARN, signal);
  const claim = { key, adopt, what: `priority ${priority} of the listener` };
  if (hasToTakeOver(claim, ruleARN, owner)) refuseUnsayable(rule, route.rule);
  return { is: 'Serving', targetGroups: named(forwardedBy(rule.Actions), selected) };
}

/** Deletes the rule that the status names, or that stands at the priority, if it is tagged as the object's. */
async function remove(
  elbv2: ELBv2,
  { key, forwarding, served }: RemoveRequest<Application>,
  { permit, signal }: Writing,
): Promise<void> {
  const priority = String(forwarding.rule.priority);
  const rules = await rulesOf(elbv2, forwarding.listenerARN, signal);
  const candidates = rules.filter(
    (rule) => rule.IsDefault !== true && (rule.RuleArn === served?.ruleARN || rule.Priority === priority),
  );
  for (const { RuleArn = '' } of candidates) {
    if ((await ownerOf(elbv2, RuleArn, signal)) !== ownerTag(key)) continue;
    await permit();
    await elbv2.deleteRule(RuleArn);
  }
}

async function drift(
  elbv2: ELBv2,
  listenerARN: string,
  { objects, signal }: { objects: readonly Mirrored<Application>[]; signal: AbortSignal },
): Promise<readonly Drift[]> {
  const rules = await rulesOf(elbv2, listenerARN, signal);
  const found: Drift[] = [];
  for (const { key, served } of objects) {
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
    const difference = describeDrift(last, { ...got, rule: { ...got.rule, forward } });
    if (difference !== undefined) found.push({ key, difference });
  }
  return found;
}

async function rulesOf(
  elbv2: ELBv2,
  listenerARN: string,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<ELBv2['rulesOf']>>> {
  try {
    return await elbv2.rulesOf(listenerARN, signal);
  } catch (error) {
    if (awsErrorType(error) === 'ListenerNotFound') return [];
    throw error;
  }
}
