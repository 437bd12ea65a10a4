import { failed, type Call, type Handled } from './handled.ts';
import type { Answer } from './emulator.ts';
import { readHealth } from './read-health.ts';
import { cutPage, isPaged } from './pages.ts';
import { type Fields, everyText, items, text, texts } from './protocol/fields.ts';
import { judge } from './refusals/rules.ts';
import { invalid } from './refusals/refusal.ts';
import { arnKindOf, listenerOfRule, loadBalancerOfListener } from './world/arns.ts';
import type { Staleness } from './world/history.ts';
import { readAll } from './world/load.ts';
import { shownAttributes, shownListener, shownRule, shownTargetGroup } from './world/shown.ts';
import { byPriority, rulesOf, usersOf, type World } from './world/world.ts';

const staleActions = new Set(['DescribeRules', 'DescribeListeners', 'DescribeTargetHealth']);

function stalenessOf({ staleFault, state }: Call): Staleness | undefined {
  if (staleFault === undefined) return state.settings.staleReads ?? undefined;
  return staleFault.staleMs === undefined ? { lastWrite: true } : { ms: staleFault.staleMs };
}

function pastOf(call: Call): World | undefined {
  const staleness = stalenessOf(call);
  if (staleness === undefined || !staleActions.has(call.action)) return undefined;
  const named = everyText(call.parameters).filter((one) => one.startsWith('arn:'));
  const listeners = named.filter((arn) => arnKindOf(arn) === 'listener rule').map(listenerOfRule);
  return call.scope.history.past([...named, ...listeners], staleness, Date.now());
}

const ruleReads = new Set(['DescribeRules', 'DescribeTags']);

/** Leaves out the rules that are too new to be seen. */
function withoutUnseen({ action, scope, state, slow }: Call, world: World): World {
  const forMs = slow.find(({ kind }) => kind === 'unseen')?.forMs ?? state.settings.newRulesUnseenMs;
  if (forMs === 0 || !ruleReads.has(action)) return world;
  const unseen = scope.ages.rulesSince(Date.now() - forMs);
  if (unseen.size === 0) return world;
  return { ...world, rules: new Map([...world.rules].filter(([arn]) => !unseen.has(arn))) };
}

/** Handles a read: judges its form, answers from the emulator or from the past, in small pages. */
export async function read(asked: Call): Promise<Handled> {
  const { action, parameters, scope } = asked;
  const present = await scope.world(asked.ask);
  const ask = scope.answers.spoken(asked.ask, present);
  const call = { ...asked, ask };
  const seen = withoutUnseen(call, pastOf(call) ?? present);
  const past = seen === present ? undefined : seen;
  const world = past ?? present;
  const verdict = judge({ action, parameters, world });
  if (verdict !== undefined) return failed({ status: 400, ...verdict.refusal }, { refusedBy: verdict.rule });
  if (action === 'DescribeTargetHealth') return readHealth(call, world);
  if (isPaged(action)) return readPage(call, { world, isPast: past !== undefined });
  const answer = await ask(action, parameters);
  if (!answer.ok) return failed(answer.error);
  return { reply: { kind: 'result', result: shownResult(call, world, answer.result) }, notes: {} };
}

function shownResult({ action, parameters }: Call, world: World, result: Fields): Fields {
  if (action !== 'DescribeTargetGroupAttributes') return result;
  const group = world.targetGroups.get(text(parameters, 'TargetGroupArn') ?? '') ?? {};
  return { ...result, Attributes: shownAttributes(group, items(result, 'Attributes')) };
}

interface View {
  readonly world: World;
  readonly isPast: boolean;
}

async function readPage(call: Call, view: View): Promise<Handled> {
  const { action, parameters, state } = call;
  const name = action.slice('Describe'.length);
  const answer = view.isPast
    ? { ok: true as const, result: recall(call, view.world) }
    : await readPresent(call, view.world);
  if (!answer.ok) return failed(answer.error);
  const all = shownAll(action, items(answer.result, name), view.world);
  const page = cutPage(all, { action, parameters, ...state.settings });
  if ('badMarker' in page) {
    const refusal = invalid(`'${page.badMarker}' is not a valid marker`);
    return failed({ status: 400, ...refusal }, { refusedBy: 'marker' });
  }
  const next = page.nextMarker === undefined ? {} : { NextMarker: page.nextMarker };
  return { reply: { kind: 'result', result: { [name]: page.items, ...next } }, notes: {} };
}

/** Reads a whole list; which load balancer uses a group is found by the proxy, not by the emulator. */
async function readPresent({ action, parameters, ask }: Call, world: World): Promise<Answer> {
  const filter = { ...parameters, Marker: undefined, PageSize: undefined };
  const loadBalancer = text(parameters, 'LoadBalancerArn');
  if (action !== 'DescribeTargetGroups' || loadBalancer === undefined) return readAll(ask, action, filter);
  const answer = await readAll(ask, action, { ...filter, LoadBalancerArn: undefined });
  if (!answer.ok) return answer;
  const used = items(answer.result, 'TargetGroups').filter((group) =>
    usersOf(world, text(group, 'TargetGroupArn') ?? '').has(loadBalancer),
  );
  return { ok: true, result: { TargetGroups: used } };
}

function recall({ action, parameters }: Call, world: World): Fields {
  if (action === 'DescribeRules') {
    const listener = text(parameters, 'ListenerArn');
    const named = texts(parameters, 'RuleArns').map((arn) => world.rules.get(arn));
    return {
      Rules: listener === undefined ? named.filter((rule) => rule !== undefined) : rulesOf(world, listener),
    };
  }
  const loadBalancer = text(parameters, 'LoadBalancerArn');
  const named = new Set(texts(parameters, 'ListenerArns'));
  const found = [...world.listeners].filter(([arn]) =>
    loadBalancer === undefined ? named.has(arn) : loadBalancerOfListener(arn) === loadBalancer,
  );
  return { Listeners: found.map(([, listener]) => listener) };
}

function shownAll(action: string, found: readonly Fields[], world: World): readonly Fields[] {
  if (action === 'DescribeRules') return byPriority(found.map(shownRule));
  if (action === 'DescribeListeners') return found.map(shownListener);
  return action === 'DescribeTargetGroups' ? found.map((group) => shownTargetGroup(world, group)) : found;
}
