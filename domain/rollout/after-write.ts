import { observedAfter, targetGroupsOf, type Forwarding } from '../load-balancers/load-balancer.ts';
import type { ObservedCell } from '../model/observation.ts';

/** What is known of a Cell after a write that was read back, where the objects could not be read again. */
export const observedAfterWrite = (observed: ObservedCell, forwarding: Forwarding): ObservedCell => ({
  ...observed,
  weighted: targetGroupsOf(forwarding),
  observedForwarding: observedAfter(forwarding, observed.observedForwarding),
  isApplied: true,
});
