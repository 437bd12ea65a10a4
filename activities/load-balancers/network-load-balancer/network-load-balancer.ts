import type {
  NetworkLoadBalancerShape,
  NetworkForward,
} from '../../../domain/load-balancers/network-load-balancer/network-load-balancer.ts';
import { quotaOf } from '../../../clients/aws/elbv2.ts';
import { AWS_NETWORK_LOAD_BALANCER_CONFIG } from '../../../clients/kubernetes/kinds.ts';
import type { AWSNetworkLoadBalancerConfig } from '../../../crds/load-balancers/network-load-balancer.ts';
import {
  sameRoute,
  weightsText,
  type InspectedForwarding,
  type ObservedForwarding,
} from '../../../domain/load-balancers/load-balancer.ts';
import type { WeightedTargetGroup } from '../../../domain/model/target-group.ts';
import { sameShares } from '../../../domain/load-balancers/weights.ts';
import { OWNER_TAG } from '../../../domain/kubernetes/labels.ts';
import type { Drift } from '../../contract.ts';
import { forwardedBy, named } from '../forward.ts';
import {
  listenerDifferenceOf,
  forwardsOnlyTo,
  readListener,
  refuseBypass,
  shownBy,
  toDefaultAction,
} from './listener.ts';
import { claimed, describeTag, ownerIn, ownerOf, refuseManaged, takeOver } from '../owner.ts';
import type {
  Inspection,
  LoadBalancer,
  LoadBalancerCalls,
  LoadBalancerDependencies,
  Mirrored,
  Writing,
  ApplyRequest,
} from '../port.ts';
import { stickinessToWrite } from './listener-stickiness.ts';
import { onceReady } from '../once-ready.ts';
import { isShownWithout, readBack, type Look } from '../read-back.ts';
import { readInTime } from '../read-in-time.ts';
import { zonesOf } from '../zones.ts';

type Network = 'AWSNetworkLoadBalancer';

/** A Network Load Balancer: the default action of one of its listeners. */
export const networkLoadBalancer: LoadBalancer<NetworkLoadBalancerShape> = {
  kind: AWS_NETWORK_LOAD_BALANCER_CONFIG,
  read({ spec, status }: AWSNetworkLoadBalancerConfig) {
    const { listenerARN, listener } = status ?? {};
    const isServed = listenerARN !== undefined && listener !== undefined;
    return {
      desired: { type: 'AWSNetworkLoadBalancer', listenerARN: spec.listenerARN, listener: spec.listener },
      ...(isServed ? { observed: servedBy(listenerARN, listener.forward) } : {}),
      deletionPolicy: 'Retain',
    };
  },
  spec: ({ listenerARN, listener }) => ({ listenerARN, listener }),
  status: ({ listenerARN, listener }) => ({
    listenerARN,
    listener,
    weights: weightsText(listener.forward.targetGroups),
  }),
  selector: (listenerARN) => `spec.listenerARN=${listenerARN}`,
  quota: ({ listenerARN }) => quotaOf(listenerARN),
  connect,
};

const servedBy = (listenerARN: string, forward: NetworkForward): ObservedForwarding<Network> => ({
  type: 'AWSNetworkLoadBalancer',
  listenerARN,
  listener: { forward },
});

function connect(means: LoadBalancerDependencies): LoadBalancerCalls<NetworkLoadBalancerShape> {
  return {
    apply: (request, writing) =>
      apply(means, request, onceReady(means.elbv2(request.forwarding.listenerARN), writing)),
    inspect: (request, signal) => inspect(means, request, signal),
    // A listener must have a default action, so that there is nothing to delete.
    remove: () => Promise.resolve(),
    drift: (listenerARN, objects, signal) => drift(means, listenerARN, { objects, signal }),
    zonesOf: ({ listenerARN }, gaining, signal) =>
      zonesOf(means.elbv2(listenerARN), listenerARN, { gaining, signal }),
  };
}

async function apply(
  means: LoadBalancerDependencies,
  request: ApplyRequest<NetworkLoadBalancerShape>,
  writing: Writing,
): Promise<ObservedForwarding<Network>> {
  const { forwarding, observed, verify, undoes } = request;
  const { listenerARN, listener } = forwarding;
  const { targetGroups } = listener.forward;
  const elbv2 = means.elbv2(listenerARN);
  const told = observed?.listenerARN === listenerARN ? observed : undefined;
  // A listener that the status does not name is not written before its owner has been read.
  const otherwise = told === undefined ? undefined : ('Unread' as const);
  const known =
    told !== undefined && !verify
      ? told.listener.forward
      : await readInTime(request, writing, (bounded) => find(means, request, bounded), otherwise);
  const isShown = known !== undefined && known !== 'Unread' && isWanted(request, known);
  const shown = isShown ? known : undefined;
  const isUnread = known === 'Unread' || (told !== undefined && !verify);
  const asShown = shown && servedBy(listenerARN, { ...shown, targetGroups });
  // What undoes a write that nobody has confirmed does not go by one read, which may be older than that write.
  if (asShown !== undefined && !undoes) return asShown;
  await writing.turn();
  const sticky = await stickinessToWrite(means, { ...request, isUnread }, writing);
  const look = async (): Promise<Look<ObservedForwarding<Network>>> => {
    const got = shownBy(await elbv2.listener(listenerARN, writing.signal), listener.forward);
    const keeps = got.targetGroupStickiness?.enabled === true;
    return sameShares(targetGroups, got.targetGroups) && keeps === (sticky?.enabled === true)
      ? { is: 'Shown', value: servedBy(listenerARN, got) }
      : {
          is: 'Another',
          got: `${weightsText(got.targetGroups)}${keeps ? ', with group stickiness' : ''}.`,
        };
  };
  await writing.permit({
    from: targetGroupsIn(known === 'Unread' ? told?.listener.forward : known),
    to: targetGroups,
  });
  try {
    await elbv2.setDefaultAction(listenerARN, toDefaultAction(targetGroups, sticky));
  } catch (error) {
    if (asShown !== undefined && (await isShownWithout(error, look, writing))) return asShown;
    throw error;
  }
  return readBack(`the default action of ${listenerARN}`, look);
}

const targetGroupsIn = (forward: NetworkForward | undefined): readonly WeightedTargetGroup[] =>
  forward?.targetGroups ?? [];

const isWanted = ({ forwarding }: ApplyRequest<NetworkLoadBalancerShape>, known: NetworkForward): boolean =>
  sameShares(forwarding.listener.forward.targetGroups, known.targetGroups) &&
  sameRoute(forwarding, servedBy(forwarding.listenerARN, known));

/** Reads what the listener does, and takes it over where that is allowed. */
async function find(
  means: LoadBalancerDependencies,
  { key, adopt, forwarding, observed, urgent }: ApplyRequest<NetworkLoadBalancerShape>,
  { permit, signal }: Writing,
): Promise<NetworkForward> {
  const { listenerARN, listener } = forwarding;
  const { targetGroups } = listener.forward;
  const elbv2 = means.elbv2(listenerARN);
  const present = await elbv2.listener(listenerARN, signal);
  const [owner, tags] = await Promise.all([ownerIn(means, key)(), elbv2.tagsOf(listenerARN, signal)]);
  const isTold = observed?.listenerARN === listenerARN;
  if (!isTold) refuseManaged(listenerARN, tags);
  const isOurs = isTold || forwardsOnlyTo(targetGroups, present);
  const claim = { owner, adopt, what: 'the listener', isOurs };
  const claiming = claimed(claim, listenerARN, tags[OWNER_TAG]);
  if (!urgent) await refuseBypass(elbv2, listenerARN, signal);
  if (claiming !== 'Ours') {
    await permit();
    await takeOver(elbv2, listenerARN, owner);
  }
  return shownBy(present, listener.forward);
}

async function inspect(
  means: LoadBalancerDependencies,
  request: Inspection<NetworkLoadBalancerShape>,
  signal: AbortSignal,
): Promise<InspectedForwarding> {
  const { route, key, adopt, selected } = request;
  const elbv2 = means.elbv2(route.listenerARN);
  const listener = await elbv2.listener(route.listenerARN, signal);
  const [owner, tags] = await Promise.all([ownerIn(means, key)(), elbv2.tagsOf(route.listenerARN, signal)]);
  refuseManaged(route.listenerARN, tags);
  const claim = { owner, adopt, what: 'the listener', isOurs: forwardsOnlyTo(selected, listener) };
  claimed(claim, route.listenerARN, tags[OWNER_TAG]);
  return { is: 'Serving', targetGroups: named(forwardedBy(listener.DefaultActions), selected) };
}

async function drift(
  means: LoadBalancerDependencies,
  listenerARN: string,
  { objects, signal }: { objects: readonly Mirrored<NetworkLoadBalancerShape>[]; signal: AbortSignal },
): Promise<readonly Drift[]> {
  const elbv2 = means.elbv2(listenerARN);
  const found = await readListener(elbv2, listenerARN, signal);
  if (found === undefined) return objects.map(({ key }) => ({ key, difference: 'The listener is gone.' }));
  const tag = await ownerOf(elbv2, listenerARN, signal);
  const installation = await means.installation();
  return objects.flatMap(({ key, observed }) => {
    const whose = describeTag({ key, installation }, tag);
    const difference = [listenerDifferenceOf(observed, found), whose]
      .filter((text) => text !== undefined)
      .join(' ');
    return difference === '' ? [] : [{ key, difference }];
  });
}
