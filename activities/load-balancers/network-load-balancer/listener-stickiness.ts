import type {
  NetworkForward,
  NetworkLoadBalancerShape,
} from '../../../domain/load-balancers/network-load-balancer/network-load-balancer.ts';
import { claimed, ownerIn, ownerOf, takeOver } from '../owner.ts';
import type { ApplyRequest, LoadBalancerDependencies, Writing } from '../port.ts';
import { readInTime } from '../read-in-time.ts';
import { refuseBypass, shownBy } from './listener.ts';

/**
 * How the listener is to keep clients: as asked, else as it does right now, since ModifyListener replaces its default
 * action as a whole. Looks at its rules as well, other than where traffic is taken back, of which they keep nothing, and at
 * whose it is where only the status has said so.
 */
export async function stickinessToWrite(
  means: LoadBalancerDependencies,
  request: ApplyRequest<NetworkLoadBalancerShape>,
  writing: Writing,
): Promise<NetworkForward['targetGroupStickiness']> {
  const { forwarding, observed, urgent, verify } = request;
  const { listenerARN } = forwarding;
  const { targetGroups, targetGroupStickiness: asked } = forwarding.listener.forward;
  const elbv2 = means.elbv2(listenerARN);
  const isHere = observed?.listenerARN === listenerARN;
  const told: NetworkForward = isHere ? observed.listener.forward : { targetGroups };
  const look = async (bounded: Writing): Promise<NetworkForward> => {
    const { signal } = bounded;
    const [listener, tag] = await Promise.all([
      elbv2.listener(listenerARN, signal),
      isHere && !verify ? ownerOf(elbv2, listenerARN, signal) : undefined,
      urgent ? undefined : refuseBypass(elbv2, listenerARN, signal),
    ]);
    // One whose tags someone has taken off is still what the status says.
    if (tag !== undefined) await claimAgain(means, { ...request, tag }, bounded);
    return shownBy(listener, { targetGroups });
  };
  const now = await readInTime(request, writing, look, told);
  const { targetGroupStickiness: present } = now;
  return asked === undefined || asked.enabled === present?.enabled ? present : asked;
}

/** Takes a listener over again that someone else has taken over since the status was written, where that is allowed. */
async function claimAgain(
  means: LoadBalancerDependencies,
  {
    key,
    adopt,
    forwarding: { listenerARN },
    tag,
  }: ApplyRequest<NetworkLoadBalancerShape> & { readonly tag: string },
  { permit }: Writing,
): Promise<void> {
  const owner = await ownerIn(means, key)();
  if (claimed({ owner, adopt, what: 'the listener' }, listenerARN, tag) !== 'TakeOver') return;
  await permit();
  await takeOver(means.elbv2(listenerARN), listenerARN, owner);
}
