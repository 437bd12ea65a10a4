import type { Listener } from '@aws-sdk/client-elastic-load-balancing-v2';
import { quotaOf, type ELBv2 } from '../../clients/elbv2.ts';
import { AWS_NETWORK_LOAD_BALANCER_CONFIG } from '../../clients/kinds.ts';
import type { AWSNetworkLoadBalancerConfig } from '../../crds/aws-network-load-balancer-config.ts';
import { weightsText, type Forwarding, type Found, type Served } from '../../domain/load-balancer.ts';
import type { ServedTargetGroup, TargetGroup } from '../../domain/observation.ts';
import { includes, sameShares } from '../../domain/weights.ts';
import type { ApplyRequest, Drift, InspectRequest } from '../contract.ts';
import { awsErrorType } from '../failure.ts';
import { forwardedBy, named, singleAsWanted, toTuples } from './forward.ts';
import { claimed, describeTag, ownerIn, ownerOf, takeOver } from './owner.ts';
import type { LoadBalancer, LoadBalancerCalls, Means, Mirrored, Writing } from './port.ts';
import { readBack } from './read-back.ts';
import { readInTime } from './read-in-time.ts';

type Network = 'AWSNetworkLoadBalancer';

/** A Network Load Balancer: the default action of one of its listeners. */
export const networkLoadBalancer: LoadBalancer<Network> = {
  kind: AWS_NETWORK_LOAD_BALANCER_CONFIG,
  read({ spec, status }: AWSNetworkLoadBalancerConfig) {
    const { listenerARN, listener } = status ?? {};
    const served =
      listenerARN === undefined || listener === undefined
        ? {}
        : { served: servedBy(listenerARN, listener.forward.targetGroups) };
    const asked = servedBy(spec.listenerARN, spec.listener.forward.targetGroups);
    return { asked, ...served, deletionPolicy: 'Retain' };
  },
  spec: ({ listenerARN, targetGroups }) => ({ listenerARN, listener: { forward: { targetGroups } } }),
  status: ({ listenerARN, targetGroups }) => ({
    listenerARN,
    listener: { forward: { targetGroups } },
    weights: weightsText(targetGroups),
  }),
  quota: ({ listenerARN }) => quotaOf(listenerARN),
  connect,
};

const servedBy = (listenerARN: string, targetGroups: readonly ServedTargetGroup[]): Served<Network> => ({
  type: 'AWSNetworkLoadBalancer',
  listenerARN,
  targetGroups,
});

function connect(means: Means): LoadBalancerCalls<Network> {
  return {
    apply: (request, writing) => apply(means, request, writing),
    inspect: (request, signal) => inspect(means, request, signal),
    // A listener must have a default action, so that there is nothing to delete.
    remove: () => Promise.resolve(),
    drift: (listenerARN, objects, signal) => drift(means, listenerARN, { objects, signal }),
  };
}

async function apply(
  means: Means,
  request: ApplyRequest<Network>,
  writing: Writing,
): Promise<Served<Network>> {
  const { forwarding, served, verify } = request;
  const { listenerARN, targetGroups } = forwarding;
  const elbv2 = means.elbv2(listenerARN);
  const usable = served !== undefined && !verify && served.listenerARN === listenerARN;
  const known = usable
    ? served.targetGroups
    : await readInTime(request, writing, (bounded) => find(means, request, bounded), 'Unread' as const);
  if (known !== 'Unread' && sameShares(targetGroups, known)) return servedBy(listenerARN, targetGroups);
  await writing.permit();
  await elbv2.setDefaultAction(listenerARN, {
    Type: 'forward',
    ForwardConfig: { TargetGroups: toTuples(targetGroups) },
  });
  return readBack(`the default action of ${listenerARN}`, async () => {
    const got = shownBy(await elbv2.listener(listenerARN, writing.signal), forwarding);
    return sameShares(targetGroups, got)
      ? { is: 'Shown', value: servedBy(listenerARN, got) }
      : { is: 'Another', got: `${weightsText(got)}.` };
  });
}

/** Reads what the listener does, and takes it over where that is allowed. */
async function find(
  means: Means,
  { key, adopt, forwarding }: ApplyRequest<Network>,
  { permit, signal }: Writing,
): Promise<readonly ServedTargetGroup[]> {
  const { listenerARN, targetGroups } = forwarding;
  const elbv2 = means.elbv2(listenerARN);
  const listener = await elbv2.listener(listenerARN, signal);
  const [owner, tag] = await Promise.all([ownerIn(means, key)(), ownerOf(elbv2, listenerARN, signal)]);
  const claim = { owner, adopt, what: 'the listener', isOurs: forwardsOnlyTo(targetGroups, listener) };
  if (claimed(claim, listenerARN, tag) !== 'Ours') {
    await permit();
    await takeOver(elbv2, listenerARN, owner);
  }
  return shownBy(listener, forwarding);
}

async function inspect(means: Means, request: InspectRequest, signal: AbortSignal): Promise<Found> {
  const { route, key, adopt, selected } = request;
  const elbv2 = means.elbv2(route.listenerARN);
  const listener = await elbv2.listener(route.listenerARN, signal);
  const [owner, tag] = await Promise.all([ownerIn(means, key)(), ownerOf(elbv2, route.listenerARN, signal)]);
  const claim = { owner, adopt, what: 'the listener', isOurs: forwardsOnlyTo(selected, listener) };
  claimed(claim, route.listenerARN, tag);
  return { is: 'Serving', targetGroups: named(forwardedBy(listener.DefaultActions), selected) };
}

async function drift(
  means: Means,
  listenerARN: string,
  { objects, signal }: { objects: readonly Mirrored<Network>[]; signal: AbortSignal },
): Promise<readonly Drift[]> {
  const elbv2 = means.elbv2(listenerARN);
  const listener = await listenerOf(elbv2, listenerARN, signal);
  if (listener === undefined) return objects.map(({ key }) => ({ key, difference: 'The listener is gone.' }));
  const tag = await ownerOf(elbv2, listenerARN, signal);
  const installation = await means.installation();
  return objects.flatMap(({ key, served }) => {
    const isSame = sameShares(served.targetGroups, shownBy(listener, served));
    const whose = describeTag({ key, installation }, tag);
    const differs = isSame ? undefined : 'The default action differs in its weights.';
    const difference = [differs, whose].filter((text) => text !== undefined).join(' ');
    return difference === '' ? [] : [{ key, difference }];
  });
}

async function listenerOf(
  elbv2: ELBv2,
  listenerARN: string,
  signal: AbortSignal,
): Promise<Listener | undefined> {
  try {
    return await elbv2.listener(listenerARN, signal);
  } catch (error) {
    if (awsErrorType(error) === 'ListenerNotFound') return undefined;
    throw error;
  }
}

const shownBy = (listener: Listener, { targetGroups }: Forwarding<Network>): ServedTargetGroup[] =>
  singleAsWanted(named(forwardedBy(listener.DefaultActions), targetGroups), targetGroups);

const forwardsOnlyTo = (groups: readonly TargetGroup[], { DefaultActions }: Listener): boolean =>
  named(forwardedBy(DefaultActions), []).every((group) => includes(groups, group));
