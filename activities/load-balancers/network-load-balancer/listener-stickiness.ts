import type {
  NetworkForward,
  NetworkLoadBalancerShape,
} from '../../../domain/load-balancers/network-load-balancer/network-load-balancer.ts';
import type { Owner } from '../../../domain/load-balancers/owner-tag.ts';
import { claimed, ownerIn, ownerOf, takeOver } from '../owner.ts';
import type { ApplyRequest, LoadBalancerDependencies, Writing } from '../port.ts';
import { readInTime } from '../read-in-time.ts';
import { refuseBypass, shownBy } from './listener.ts';

/**
 * How the listener is to keep clients: as asked, else as it does right now, since ModifyListener replaces its default
 * action as a whole. Also refuses rules that bypass the weights, unless traffic is taken back, which they do not keep. Where
 * only the status says that the listener is ours, checks that nobody has taken it over since.
 */
export async function stickinessToWrite(
  means: LoadBalancerDependencies,
  { isUnread, ...request }: ApplyRequest<NetworkLoadBalancerShape> & { readonly isUnread: boolean },
  writing: Writing,
): Promise<NetworkForward['targetGroupStickiness']> {
  const { forwarding, observed, urgent } = request;
  const { listenerARN } = forwarding;
  const { targetGroups, targetGroupStickiness: asked } = forwarding.listener.forward;
  const elbv2 = means.elbv2(listenerARN);
  const isHere = observed?.listenerARN === listenerARN;
  const told: NetworkForward = isHere ? observed.listener.forward : { targetGroups };
  const look = async ({ permit, signal }: Writing): Promise<NetworkForward> => {
    const bypass = urgent ? undefined : refuseBypass(elbv2, listenerARN, signal);
    const reading = Promise.all([elbv2.listener(listenerARN, signal), bypass]);
    reading.catch(() => undefined);
    // The owner counts even where the listener itself cannot be read.
    const newOwner = isHere && isUnread ? await ownerToBe(means, request, signal) : undefined;
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

/**
 * The owner for whom a listener has to be taken over again, because another object has taken it over since the status was
 * written; throws a `Conflict` where that is not allowed. A listener whose tags someone has removed is still what the status says.
 */
async function ownerToBe(
  means: LoadBalancerDependencies,
  { key, adopt, forwarding: { listenerARN } }: ApplyRequest<NetworkLoadBalancerShape>,
  signal: AbortSignal,
): Promise<Owner | undefined> {
  const tag = await ownerOf(means.elbv2(listenerARN), listenerARN, signal);
  if (tag === undefined) return undefined;
  const owner = await ownerIn(means, key)();
  return claimed({ owner, adopt, what: 'the listener' }, listenerARN, tag) === 'TakeOver' ? owner : undefined;
}
