import { quotaOf, type ELBv2 } from '../../clients/aws/elbv2.ts';
import { AWS_NETWORK_LOAD_BALANCER_CONFIG } from '../../clients/kubernetes/kinds.ts';
import type { AWSNetworkLoadBalancerConfig } from '../../crds/aws-network-load-balancer-config.ts';
import {
  sameRoute,
  weightsText,
  type InspectedForwarding,
  type NetworkStickiness,
  type ObservedForwarding,
} from '../../domain/load-balancers/load-balancer.ts';
import { sameShares } from '../../domain/load-balancers/weights.ts';
import type { ApplyRequest, Drift } from '../contract.ts';
import { forwardedBy, named } from './forward.ts';
import {
  listenerDifferenceOf,
  forwardsOnlyTo,
  readListener,
  refuseBypass,
  shownBy,
  toDefaultAction,
  type Default,
} from './network-listener.ts';
import { claimed, describeTag, ownerIn, ownerOf, takeOver } from './owner.ts';
import type {
  Inspection,
  LoadBalancer,
  LoadBalancerCalls,
  LoadBalancerDependencies,
  Mirrored,
  Writing,
} from './port.ts';
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
        : { observed: servedBy(listenerARN, listener.forward) };
    return {
      desired: servedBy(spec.listenerARN, spec.listener.forward),
      ...served,
      deletionPolicy: 'Retain',
    };
  },
  spec: ({ listenerARN, ...forward }) => ({ listenerARN, listener: { forward: forwardOf(forward) } }),
  status: ({ listenerARN, ...forward }) => ({
    listenerARN,
    listener: { forward: forwardOf(forward) },
    weights: weightsText(forward.targetGroups),
  }),
  quota: ({ listenerARN }) => quotaOf(listenerARN),
  connect,
};

const forwardOf = ({ targetGroups, targetGroupStickiness: sticky }: Default): Default => ({
  targetGroups,
  ...(sticky === undefined ? {} : { targetGroupStickiness: sticky }),
});

interface Shown {
  readonly targetGroups: Default['targetGroups'];
  readonly targetGroupStickiness?: NetworkStickiness | undefined;
}

const servedBy = (
  listenerARN: string,
  { targetGroups, targetGroupStickiness: sticky }: Shown,
): ObservedForwarding<Network> => ({
  type: 'AWSNetworkLoadBalancer',
  listenerARN,
  targetGroups,
  ...(sticky === undefined ? {} : { targetGroupStickiness: sticky }),
});

function connect(means: LoadBalancerDependencies): LoadBalancerCalls<Network> {
  return {
    apply: (request, writing) => apply(means, request, writing),
    inspect: (request, signal) => inspect(means, request, signal),
    // A listener must have a default action, so that there is nothing to delete.
    remove: () => Promise.resolve(),
    drift: (listenerARN, objects, signal) => drift(means, listenerARN, { objects, signal }),
  };
}

async function apply(
  means: LoadBalancerDependencies,
  request: ApplyRequest<Network>,
  writing: Writing,
): Promise<ObservedForwarding<Network>> {
  const { forwarding, observed, verify } = request;
  const { listenerARN, targetGroups } = forwarding;
  const elbv2 = means.elbv2(listenerARN);
  const told = observed?.listenerARN === listenerARN ? observed : undefined;
  const known =
    told !== undefined && !verify
      ? told
      : await readInTime(request, writing, (bounded) => find(means, request, bounded), 'Unread' as const);
  if (known !== 'Unread' && isWanted(request, known)) {
    return servedBy(listenerARN, { ...known, targetGroups });
  }
  await writing.permit();
  const sticky = await stickinessToWrite(elbv2, request, writing);
  writing.signal.throwIfAborted();
  await elbv2.setDefaultAction(listenerARN, toDefaultAction(targetGroups, sticky));
  return readBack(`the default action of ${listenerARN}`, async () => {
    const got = shownBy(await elbv2.listener(listenerARN, writing.signal), forwarding);
    const keeps = got.targetGroupStickiness?.enabled === true;
    return sameShares(targetGroups, got.targetGroups) && keeps === (sticky?.enabled === true)
      ? { is: 'Shown', value: servedBy(listenerARN, got) }
      : {
          is: 'Another',
          got: `${weightsText(got.targetGroups)}${keeps ? ', with group stickiness' : ''}.`,
        };
  });
}

const isWanted = ({ forwarding }: ApplyRequest<Network>, known: Default): boolean =>
  sameShares(forwarding.targetGroups, known.targetGroups) &&
  sameRoute(forwarding, servedBy(forwarding.listenerARN, known));

/**
 * How the listener is to keep clients: as asked, else as it does right now, since ModifyListener replaces its default
 * action as a whole. Looks at its rules as well, other than where traffic is taken back, of which they keep nothing.
 */
async function stickinessToWrite(
  elbv2: ELBv2,
  request: ApplyRequest<Network>,
  writing: Writing,
): Promise<Default['targetGroupStickiness']> {
  const { forwarding, observed, urgent } = request;
  const { listenerARN } = forwarding;
  const told: Default =
    observed?.listenerARN === listenerARN ? observed : { targetGroups: forwarding.targetGroups };
  const look = async ({ signal }: Writing): Promise<Default> => {
    const bypass = urgent ? undefined : refuseBypass(elbv2, listenerARN, signal);
    const [listener] = await Promise.all([elbv2.listener(listenerARN, signal), bypass]);
    return shownBy(listener, forwarding);
  };
  const now = await readInTime(request, writing, look, told);
  const { targetGroupStickiness: asked } = forwarding;
  const { targetGroupStickiness: present } = now;
  return asked === undefined || asked.enabled === present?.enabled ? present : asked;
}

/** Reads what the listener does, and takes it over where that is allowed. */
async function find(
  means: LoadBalancerDependencies,
  { key, adopt, forwarding, urgent }: ApplyRequest<Network>,
  { permit, signal }: Writing,
): Promise<Default> {
  const { listenerARN, targetGroups } = forwarding;
  const elbv2 = means.elbv2(listenerARN);
  const listener = await elbv2.listener(listenerARN, signal);
  const [owner, tag] = await Promise.all([ownerIn(means, key)(), ownerOf(elbv2, listenerARN, signal)]);
  const claim = { owner, adopt, what: 'the listener', isOurs: forwardsOnlyTo(targetGroups, listener) };
  const claiming = claimed(claim, listenerARN, tag);
  if (!urgent) await refuseBypass(elbv2, listenerARN, signal);
  if (claiming !== 'Ours') {
    await permit();
    await takeOver(elbv2, listenerARN, owner);
  }
  return shownBy(listener, forwarding);
}

async function inspect(
  means: LoadBalancerDependencies,
  request: Inspection,
  signal: AbortSignal,
): Promise<InspectedForwarding> {
  const { route, key, adopt, selected } = request;
  const elbv2 = means.elbv2(route.listenerARN);
  const listener = await elbv2.listener(route.listenerARN, signal);
  const [owner, tag] = await Promise.all([ownerIn(means, key)(), ownerOf(elbv2, route.listenerARN, signal)]);
  const claim = { owner, adopt, what: 'the listener', isOurs: forwardsOnlyTo(selected, listener) };
  claimed(claim, route.listenerARN, tag);
  return { is: 'Serving', targetGroups: named(forwardedBy(listener.DefaultActions), selected) };
}

async function drift(
  means: LoadBalancerDependencies,
  listenerARN: string,
  { objects, signal }: { objects: readonly Mirrored<Network>[]; signal: AbortSignal },
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
