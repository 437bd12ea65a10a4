import type {
  NetworkLoadBalancerShape,
  NetworkForward,
} from '../../../domain/load-balancers/network-load-balancer/network-load-balancer.ts';
import { regionOf } from '../../../clients/aws/elbv2.ts';
import { AWS_NETWORK_LOAD_BALANCER_CONFIG } from '../../../clients/kubernetes/kinds.ts';
import type { AWSNetworkLoadBalancerConfig } from '../../../crds/load-balancers/network-load-balancer.ts';
import {
  sameRoute,
  weightsText,
  type InspectedForwarding,
  type ObservedForwarding,
} from '../../../domain/load-balancers/load-balancer.ts';
import { sameShares } from '../../../domain/load-balancers/weights.ts';
import { OWNER_TAG } from '../../../domain/kubernetes/labels.ts';
import type { Drift } from '../../contract.ts';
import { forwardedBy } from '../forward.ts';
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
import { isShownWithout, onceReady, readBack, type Look, readInTime } from '../reads.ts';
import { zonesOf } from '../zones.ts';
import type { Owner } from '../../../domain/load-balancers/owner-tag.ts';

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
  quota: ({ listenerARN }) => regionOf(listenerARN),
  connect,
};

const servedBy = (listenerARN: string, forward: NetworkForward): ObservedForwarding<Network> => ({
  type: 'AWSNetworkLoadBalancer',
  listenerARN,
  listener: { forward },
});

function connect(dependencies: LoadBalancerDependencies): LoadBalancerCalls<NetworkLoadBalancerShape> {
  return {
    apply: (request, writing) =>
      apply(dependencies, request, onceReady(dependencies.elbv2(request.forwarding.listenerARN), writing)),
    inspect: (request, signal) => inspect(dependencies, request, signal),
    // A listener must have a default action, so that there is nothing to delete.
    remove: () => Promise.resolve(),
    drift: (listenerARN, objects, signal) => drift(dependencies, listenerARN, { objects, signal }),
    zonesOf: ({ listenerARN }, gaining, signal) =>
      zonesOf(dependencies.elbv2(listenerARN), listenerARN, { gaining, signal }),
  };
}

/** What a listener forwards to, and how that is known: `Read` and claimed, or by the status alone. */
interface PresentForward {
  readonly is: 'Read' | 'Reported' | 'Unanswered';
  readonly forward: NetworkForward;
}

async function apply(
  dependencies: LoadBalancerDependencies,
  request: ApplyRequest<NetworkLoadBalancerShape>,
  writing: Writing,
): Promise<ObservedForwarding<Network>> {
  const { forwarding, trusts } = request;
  const { listenerARN, listener } = forwarding;
  const { targetGroups } = listener.forward;
  const elbv2 = dependencies.elbv2(listenerARN);
  const present = await presentForward(dependencies, request, writing);
  const isShown = present.is !== 'Unanswered' && isWanted(request, present.forward);
  const asShown = isShown ? servedBy(listenerARN, { ...present.forward, targetGroups }) : undefined;
  if (asShown !== undefined && trusts !== 'Nothing') return asShown;
  await writing.turn();
  const sticky = await stickinessToWrite(dependencies, request, present, writing);
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
  await writing.permit({ from: present.forward.targetGroups, to: targetGroups });
  try {
    await elbv2.setDefaultAction(listenerARN, toDefaultAction(targetGroups, sticky));
  } catch (error) {
    if (asShown !== undefined && (await isShownWithout(error, look, writing))) return asShown;
    throw error;
  }
  return readBack(`the default action of ${listenerARN}`, look);
}

/** What the listener forwards to; one that the status does not name is not written before its owner has been read. */
async function presentForward(
  dependencies: LoadBalancerDependencies,
  request: ApplyRequest<NetworkLoadBalancerShape>,
  writing: Writing,
): Promise<PresentForward> {
  const { forwarding, observed, trusts } = request;
  const reported = observed?.listenerARN === forwarding.listenerARN ? observed.listener.forward : undefined;
  if (reported !== undefined && trusts === 'Status') return { is: 'Reported', forward: reported };
  const read = async (bounded: Writing): Promise<PresentForward> => ({
    is: 'Read',
    forward: await readForward(dependencies, request, bounded),
  });
  return readInTime(request, writing, read, reported && { is: 'Unanswered', forward: reported });
}

const isWanted = ({ forwarding }: ApplyRequest<NetworkLoadBalancerShape>, known: NetworkForward): boolean =>
  sameShares(forwarding.listener.forward.targetGroups, known.targetGroups) &&
  sameRoute(forwarding, servedBy(forwarding.listenerARN, known));

async function readForward(
  dependencies: LoadBalancerDependencies,
  { key, adopt, forwarding, observed, urgent }: ApplyRequest<NetworkLoadBalancerShape>,
  { permit, signal }: Writing,
): Promise<NetworkForward> {
  const { listenerARN, listener } = forwarding;
  const { targetGroups } = listener.forward;
  const elbv2 = dependencies.elbv2(listenerARN);
  const present = await elbv2.listener(listenerARN, signal);
  const [owner, tags] = await Promise.all([ownerIn(dependencies, key)(), elbv2.tagsOf(listenerARN, signal)]);
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
  dependencies: LoadBalancerDependencies,
  request: Inspection<NetworkLoadBalancerShape>,
  signal: AbortSignal,
): Promise<InspectedForwarding> {
  const { route, key, adopt, selected } = request;
  const elbv2 = dependencies.elbv2(route.listenerARN);
  const listener = await elbv2.listener(route.listenerARN, signal);
  const [owner, tags] = await Promise.all([
    ownerIn(dependencies, key)(),
    elbv2.tagsOf(route.listenerARN, signal),
  ]);
  refuseManaged(route.listenerARN, tags);
  const claim = { owner, adopt, what: 'the listener', isOurs: forwardsOnlyTo(selected, listener) };
  claimed(claim, route.listenerARN, tags[OWNER_TAG]);
  return { is: 'Serving', targetGroups: forwardedBy(listener.DefaultActions, selected) };
}

async function drift(
  dependencies: LoadBalancerDependencies,
  listenerARN: string,
  { objects, signal }: { objects: readonly Mirrored<NetworkLoadBalancerShape>[]; signal: AbortSignal },
): Promise<readonly Drift[]> {
  const elbv2 = dependencies.elbv2(listenerARN);
  const found = await readListener(elbv2, listenerARN, signal);
  if (found === undefined) return objects.map(({ key }) => ({ key, difference: 'The listener is gone.' }));
  const tag = await ownerOf(elbv2, listenerARN, signal);
  const installation = await dependencies.installation();
  return objects.flatMap(({ key, observed }) => {
    const whose = describeTag({ key, installation }, tag);
    const difference = [listenerDifferenceOf(observed, found), whose]
      .filter((text) => text !== undefined)
      .join(' ');
    return difference === '' ? [] : [{ key, difference }];
  });
}

/** How the listener is to keep clients: as asked, else as now, since ModifyListener replaces the action; refuses rules that bypass the weights, and a listener taken over since. */
async function stickinessToWrite(
  dependencies: LoadBalancerDependencies,
  request: ApplyRequest<NetworkLoadBalancerShape>,
  { is }: PresentForward,
  writing: Writing,
): Promise<NetworkForward['targetGroupStickiness']> {
  const { forwarding, observed, urgent } = request;
  const { listenerARN } = forwarding;
  const { targetGroups, targetGroupStickiness: asked } = forwarding.listener.forward;
  const elbv2 = dependencies.elbv2(listenerARN);
  const isHere = observed?.listenerARN === listenerARN;
  const told: NetworkForward = isHere ? observed.listener.forward : { targetGroups };
  const look = async ({ permit, signal }: Writing): Promise<NetworkForward> => {
    const bypass = urgent ? undefined : refuseBypass(elbv2, listenerARN, signal);
    const reading = Promise.all([elbv2.listener(listenerARN, signal), bypass]);
    reading.catch(() => undefined);
    // The owner counts even where the listener itself cannot be read.
    const newOwner = isHere && is !== 'Read' ? await ownerToBe(dependencies, request, signal) : undefined;
    const [listener] = await reading;
    if (newOwner !== undefined) {
      await permit();
      await takeOver(elbv2, listenerARN, newOwner);
    }
    return shownBy(listener, { targetGroups });
  };
  const now = await readInTime(request, writing, look, told);
  const { targetGroupStickiness: present } = now;
  return asked === undefined || asked.enabled === present?.enabled ? present : asked;
}

/** The owner for whom the listener has to be taken over again; throws a `Conflict` where that is not allowed. Without tags it is ours. */
async function ownerToBe(
  dependencies: LoadBalancerDependencies,
  { key, adopt, forwarding: { listenerARN } }: ApplyRequest<NetworkLoadBalancerShape>,
  signal: AbortSignal,
): Promise<Owner | undefined> {
  const tag = await ownerOf(dependencies.elbv2(listenerARN), listenerARN, signal);
  if (tag === undefined) return undefined;
  const owner = await ownerIn(dependencies, key)();
  return claimed({ owner, adopt, what: 'the listener' }, listenerARN, tag) === 'TakeOver' ? owner : undefined;
}
