import { drained, showHealth, viewTargets } from './health.ts';
import { failed, type Call, type Handled } from './handled.ts';
import { type Fields, given, items, text } from './protocol/fields.ts';
import { targetKey } from './world/targets.ts';
import { usersOf, type World } from './world/world.ts';

const zonesOf = (world: World, loadBalancer: string): readonly string[] =>
  items(world.loadBalancers.get(loadBalancer) ?? {}, 'AvailabilityZones').map(
    (zone) => text(zone, 'ZoneName') ?? '',
  );

/** Whether a target is in a zone that none of the load balancers has; only what names its zone is known to be in one. */
function isElsewhere(world: World, group: string, registered: Fields | undefined): boolean {
  const zone = text(registered ?? {}, 'AvailabilityZone') ?? 'all';
  if (zone === 'all') return false;
  return ![...usersOf(world, group)].some((balancer) => zonesOf(world, balancer).includes(zone));
}

function slownessOf({ slow, state }: Call, kind: 'initial' | 'draining'): number {
  const setting = kind === 'initial' ? state.settings.initialMs : state.settings.drainingMs;
  return slow.find((fault) => fault.kind === kind)?.forMs ?? setting;
}

/** How long targets drain: as long as is switched, and no longer than their group lets them. */
function drainingMs(call: Call, world: World, group: string): number {
  const delay = world.attributes.get(group)?.['deregistration_delay.timeout_seconds'] ?? '300';
  return Math.min(slownessOf(call, 'draining'), Number(delay) * 1000);
}

/** Reads the health of targets as AWS shows it, from what the emulator knows of them and since when they are there. */
export async function readHealth(call: Call, world: World): Promise<Handled> {
  const { action, parameters, state, scope, ask } = call;
  const answer = await ask(action, parameters);
  if (!answer.ok) return failed(answer.error);
  const arn = text(parameters, 'TargetGroupArn') ?? '';
  const group = world.targetGroups.get(arn) ?? {};
  const keyOf = (target: Fields): string => targetKey(group, target);
  const registered = (target: Fields): Fields | undefined => world.targets.get(arn)?.get(keyOf(target));
  const now = Date.now();
  const inUse = usersOf(world, arn).size > 0;
  const initialMs = slownessOf(call, 'initial');
  const shown = showHealth(items(answer.result, 'TargetHealthDescriptions'), inUse, state.targets.get(arn), {
    registered,
    isInitial: (target) => scope.ages.checkedSince(arn, keyOf(target)) > now - initialMs,
    isElsewhere: (target) => isElsewhere(world, arn, registered(target)),
  });
  const leaving = inUse ? scope.ages.leftSince(arn, now - drainingMs(call, world, arn)) : [];
  const all = drained(shown, leaving, { keyOf, isFiltered: given(parameters, 'Targets') });
  const result = { ...answer.result, TargetHealthDescriptions: all };
  return { reply: { kind: 'result', result }, notes: { health: viewTargets(all) } };
}
