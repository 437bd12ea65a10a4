import type { Answer, Ask } from '../emulator.ts';
import { type Fields, items, text, texts } from '../protocol/fields.ts';
import { rulesOf, type World } from './world.ts';

/*
 * The emulator finds its answers slowly, and most reads ask for what nothing has changed since. An answer is kept until a
 * write changes something that it says, so that the read after each write is still the emulator's own.
 */

/** What the emulator has answered to the reads of one account and region. */
export interface Answers {
  /** Lets a read have the answer of an earlier one that saw the same. */
  spoken(ask: Ask, world: World): Ask;
  /** Forgets all of them, after a write whose effect the world does not show. */
  clear(): void;
}

/** The parts of the world that an answer comes from: parts are replaced, and never changed. */
type Parts = readonly unknown[];

const each = (part: ReadonlyMap<string, unknown>, arns: readonly string[]): Parts | undefined =>
  arns.length === 0 ? undefined : arns.map((arn) => part.get(arn));

/** Targets that are instances have the state of these as well, which is EC2's, and may come from an Auto Scaling group. */
const isInstance = (id: string): boolean => id.startsWith('i-');

function partsOfHealth(world: World, parameters: Fields): Parts | undefined {
  const arn = text(parameters, 'TargetGroupArn') ?? '';
  const [targets, group] = [world.targets.get(arn), world.targetGroups.get(arn)];
  if (text(group ?? {}, 'TargetType') === 'instance') return undefined;
  const ids = items(parameters, 'Targets').map((target) => text(target, 'Id') ?? '');
  if ([...ids, ...(targets?.keys() ?? [])].some(isInstance)) return undefined;
  return [targets, group];
}

/** Finds what a read comes from; undefined where that is not known. */
const partsOf: Readonly<Record<string, (world: World, parameters: Fields) => Parts | undefined>> = {
  DescribeListeners: ({ listeners }, parameters) => each(listeners, texts(parameters, 'ListenerArns')),
  DescribeRules: (world, parameters) => {
    const listener = text(parameters, 'ListenerArn');
    return listener === undefined
      ? each(world.rules, texts(parameters, 'RuleArns'))
      : [world.listeners.get(listener), ...rulesOf(world, listener)];
  },
  DescribeTags: ({ tags }, parameters) => each(tags, texts(parameters, 'ResourceArns')),
  DescribeTargetGroupAttributes: ({ attributes, targetGroups }, parameters) => {
    const arn = text(parameters, 'TargetGroupArn') ?? '';
    return [attributes.get(arn), targetGroups.get(arn)];
  },
  DescribeTargetGroups: ({ targetGroups }, parameters) =>
    each(targetGroups, texts(parameters, 'TargetGroupArns')),
  DescribeTargetHealth: partsOfHealth,
};

const areSame = (one: Parts, other: Parts): boolean =>
  one.length === other.length && one.every((part, at) => part === other[at]);

/** As many as an account has in use at a time, by far. */
const MOST = 10_000;

/** Makes what keeps the answers of one account and region. */
export function createAnswers(): Answers {
  let kept = new Map<string, { readonly parts: Parts; readonly answer: Answer }>();
  return {
    spoken: (ask, world) => async (action, parameters) => {
      const parts = partsOf[action]?.(world, parameters);
      if (parts === undefined) return ask(action, parameters);
      const read = JSON.stringify([action, parameters]);
      const answers = kept;
      const known = answers.get(read);
      if (known !== undefined && areSame(known.parts, parts)) return known.answer;
      const answer = await ask(action, parameters);
      if (!answer.ok) return answer;
      if (answers.size >= MOST) answers.clear();
      // What was asked before all was forgotten is forgotten with it.
      answers.set(read, { parts, answer });
      return answer;
    },
    clear: () => {
      kept = new Map();
    },
  };
}
