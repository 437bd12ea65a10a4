import { type Fields, items, text } from '../protocol/fields.ts';
import { listenerOfRule, loadBalancerOfListener } from '../world/arns.ts';
import type { World } from '../world/world.ts';
import { actionsOf, type Judged } from './refusal.ts';

/** Finds the listener that a call is about; a listener that is yet to be created has none. */
export function listenerArnOf(parameters: Fields): string | undefined {
  const rule = text(parameters, 'RuleArn');
  return text(parameters, 'ListenerArn') ?? (rule === undefined ? undefined : listenerOfRule(rule));
}

/** Finds the protocol that a listener has after the call. */
export function protocolOf({ parameters, world }: Judged): string | undefined {
  const arn = listenerArnOf(parameters);
  const present = arn === undefined ? undefined : world.listeners.get(arn);
  return text(parameters, 'Protocol') ?? (present === undefined ? undefined : text(present, 'Protocol'));
}

/** Finds the load balancer that a call is about. */
export function loadBalancerArnOf(parameters: Fields): string | undefined {
  const listener = listenerArnOf(parameters);
  return (
    text(parameters, 'LoadBalancerArn') ??
    (listener === undefined ? undefined : loadBalancerOfListener(listener))
  );
}

/** Tells the type of a load balancer: application, network or gateway. */
export function typeOf(world: World, loadBalancerArn: string): string | undefined {
  const found = world.loadBalancers.get(loadBalancerArn);
  return found === undefined ? undefined : text(found, 'Type');
}

/** Reads the actions that a call is about: those it brings, or those of the listener whose protocol it changes. */
export function touchedActions({ parameters, world }: Judged): readonly Fields[] {
  const brought = actionsOf(parameters);
  if (brought.length > 0 || text(parameters, 'Protocol') === undefined) return brought;
  const listener = world.listeners.get(listenerArnOf(parameters) ?? '');
  return listener === undefined ? [] : items(listener, 'DefaultActions');
}
