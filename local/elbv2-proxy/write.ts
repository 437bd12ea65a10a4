import { failed, type Call, type Handled } from './handled.ts';
import { type Fields, items, text } from './protocol/fields.ts';
import { judge } from './refusals/rules.ts';
import { listenerOfRule } from './world/arns.ts';
import { readAll } from './world/load.ts';
import { shownListener, shownRule, shownTargetGroup } from './world/shown.ts';
import { isFollowed, put, update } from './world/update.ts';
import { groupsOf, isDefault, rulesOf, viewOf, type RuleView, type World } from './world/world.ts';

/** Handles a write: judges it, lets the emulator apply it, and carries it over into the world. */
export function write(call: Call): Promise<Handled> {
  return call.scope.exclusively(async () => {
    const { action, parameters, scope, ask } = call;
    const world = await scope.world(ask);
    const verdict = judge({ action, parameters, world });
    if (verdict !== undefined)
      return failed({ status: 400, ...verdict.refusal }, { refusedBy: verdict.rule });
    try {
      return await apply(call, world);
    } catch (error) {
      // Nobody knows what the emulator has done; the next call reads it again.
      scope.forget();
      throw error;
    }
  });
}

async function apply(call: Call, world: World): Promise<Handled> {
  const { action, parameters, scope, ask } = call;
  const answer = await ask(action, parameters);
  if (!answer.ok) {
    if (answer.error.status >= 500) scope.forget();
    // The emulator may have done a part of what it refuses.
    else scope.answers.clear();
    return failed(answer.error);
  }
  if (!isFollowed(action)) scope.answers.clear();
  const next = await carryOver(call, world, answer.result);
  scope.replace(next);
  return applied(call, { world, next, result: answer.result });
}

async function carryOver({ action, parameters, ask }: Call, world: World, result: Fields): Promise<World> {
  let next = update(world, { action, parameters, result });
  if (action !== 'CreateListener') return next;
  // The answer does not name the default rule that came with the listener.
  for (const listener of items(result, 'Listeners')) {
    const rules = await readAll(ask, 'DescribeRules', { ListenerArn: text(listener, 'ListenerArn') });
    if (!rules.ok) throw new Error(rules.error.message);
    next = put(next, 'rules', items(rules.result, 'Rules').map(shownRule));
  }
  return next;
}

interface Change {
  readonly world: World;
  readonly next: World;
  readonly result: Fields;
}

function changedIn<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): readonly string[] {
  const arns = new Set([...before.keys(), ...after.keys()]);
  return [...arns].filter((arn) => before.get(arn) !== after.get(arn));
}

/** Lists the rules that look otherwise after a write; the default rule shows the tags of its listener. */
const changedRules = ({ world, next }: Change): readonly string[] => {
  const tagged = changedIn(world.tags, next.tags);
  const rules = tagged.filter((arn) => arn.includes(':listener-rule/'));
  const defaults = tagged.flatMap((arn) => rulesOf(next, arn).filter(isDefault));
  const ofListeners = defaults.map((rule) => text(rule, 'RuleArn') ?? '');
  return [...new Set([...changedIn(world.rules, next.rules), ...rules, ...ofListeners])];
};

const viewsIn = (world: World, arns: readonly string[]): readonly RuleView[] =>
  arns.map((arn) => viewOf(world, arn)).filter((view) => view !== undefined);

function applied({ state, scope }: Call, change: Change): Handled {
  const { world, next, result } = change;
  const arns = changedRules(change);
  const groups = [world, next].flatMap((one) =>
    arns.flatMap((arn) => groupsOf(items(one.rules.get(arn) ?? {}, 'Actions'))),
  );
  const touched = [
    ...arns,
    ...arns.map(listenerOfRule),
    ...groups,
    ...changedIn(world.listeners, next.listeners),
  ];
  const at = Date.now();
  scope.history.record({ at, touched, before: world });
  scope.ages.record(world, next, at);
  state.applied += 1;
  const views = arns.length === 0 ? {} : { before: viewsIn(world, arns), after: viewsIn(next, arns) };
  const notes = { applied: true, appliedOrder: state.applied, ...views };
  return { reply: { kind: 'result', result: shownResult(next, result) }, notes };
}

function shownResult(world: World, result: Fields): Fields {
  const shown: Record<string, Fields[string]> = { ...result };
  if (result['Rules'] !== undefined) shown['Rules'] = items(result, 'Rules').map(shownRule);
  if (result['Listeners'] !== undefined) shown['Listeners'] = items(result, 'Listeners').map(shownListener);
  if (result['TargetGroups'] !== undefined) {
    shown['TargetGroups'] = items(result, 'TargetGroups').map((group) => shownTargetGroup(world, group));
  }
  return shown;
}
