import type { Answer, Ask } from '../emulator.ts';
import { type Fields, fieldsOf, given, items, text } from '../protocol/fields.ts';

/*
 * The emulator keeps no transforms, takes no jwt-validation, no regular expressions and no types of addresses, and loses the
 * query parameters of authentication. The proxy keeps such parts of a rule for it, and shows it what is left.
 */

/** What of a rule the emulator cannot keep. */
interface Kept {
  readonly Actions?: readonly Fields[] | undefined;
  readonly Conditions?: readonly Fields[] | undefined;
  readonly Transforms?: readonly Fields[] | undefined;
}

/** Keeps parts of rules for the emulator. */
export interface Keeping {
  /** Lets a caller speak with the emulator as if it kept everything. */
  spoken(ask: Ask): Ask;
}

const routing = new Set(['forward', 'redirect', 'fixed-response']);

const isRouting = (action: Fields): boolean => routing.has(text(action, 'Type') ?? '');

/** Whether the emulator refuses a condition: it knows no regular expressions, and no types of addresses. */
const isUnknown = (condition: Fields): boolean =>
  [condition, ...Object.keys(condition).map((name) => fieldsOf(condition, name))].some(
    (one) => given(one, 'RegexValues') || text(one, 'IpAddressType') !== undefined,
  );

/** What stands for conditions that the emulator does not know. */
const anyPath: Fields = { Field: 'path-pattern', Values: ['/*'] };

/** The part of a rule write that the emulator takes; it does not get a client secret, which nobody may read from it. */
function taken(parameters: Fields): Fields {
  const { Transforms: _, ResetTransforms: __, ...rest } = parameters;
  const plain = items(parameters, 'Conditions').filter((one) => !isUnknown(one));
  return {
    ...rest,
    ...(given(parameters, 'Actions') ? { Actions: items(parameters, 'Actions').filter(isRouting) } : {}),
    ...(given(parameters, 'Conditions') ? { Conditions: plain.length === 0 ? [anyPath] : plain } : {}),
  };
}

/** What is kept of a rule after a write to it. */
function keptAfter(before: Kept, parameters: Fields): Kept {
  const [actions, conditions] = [items(parameters, 'Actions'), items(parameters, 'Conditions')];
  const transforms = items(parameters, 'Transforms');
  const isReset = text(parameters, 'ResetTransforms') === 'true';
  return {
    Actions: actions.length === 0 ? before.Actions : actions.every(isRouting) ? undefined : actions,
    Conditions:
      conditions.length === 0 ? before.Conditions : conditions.some(isUnknown) ? conditions : undefined,
    Transforms: isReset ? undefined : transforms.length === 0 ? before.Transforms : transforms,
  };
}

const withKept = (rule: Fields, { Actions, Conditions, Transforms }: Kept): Fields => ({
  ...rule,
  ...(Actions === undefined ? {} : { Actions: Actions.map((action) => withForward(rule, action)) }),
  ...(Conditions === undefined ? {} : { Conditions }),
  ...(Transforms === undefined ? {} : { Transforms }),
});

/** The routing action is the emulator's, which fills in what was left out. */
function withForward(rule: Fields, action: Fields): Fields {
  const own = items(rule, 'Actions').find(isRouting);
  return isRouting(action) && own !== undefined ? { ...own, Order: action['Order'] } : action;
}

/** Makes what keeps parts of the rules of one account and region. */
export function createKeeping(): Keeping {
  const kept = new Map<string, Kept>();
  const keptOf = (rule: Fields): Kept => kept.get(text(rule, 'RuleArn') ?? '') ?? {};
  const shown = (answer: Answer): Answer => {
    if (!answer.ok || !given(answer.result, 'Rules')) return answer;
    const rules = items(answer.result, 'Rules').map((rule) => withKept(rule, keptOf(rule)));
    return { ok: true, result: { ...answer.result, Rules: rules } };
  };
  return {
    spoken: (ask) => async (action, parameters) => {
      if (action !== 'CreateRule' && action !== 'ModifyRule') return shown(await ask(action, parameters));
      const changes = given(parameters, 'Actions') || given(parameters, 'Conditions');
      const answer = changes
        ? await ask(action, taken(parameters))
        : // The emulator refuses a write of transforms alone.
          await ask('DescribeRules', { RuleArns: [text(parameters, 'RuleArn') ?? ''] });
      if (!answer.ok) return answer;
      for (const rule of items(answer.result, 'Rules')) {
        kept.set(text(rule, 'RuleArn') ?? '', keptAfter(keptOf(rule), parameters));
      }
      return shown({ ok: true, result: { Rules: items(answer.result, 'Rules') } });
    },
  };
}
