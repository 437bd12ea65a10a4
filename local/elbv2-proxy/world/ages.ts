import { type Fields, items } from '../protocol/fields.ts';
import { groupsOf, isDefault, type World } from './world.ts';

/** A target that was deregistered, and when. */
export interface Leaving {
  readonly key: string;
  readonly target: Fields;
  readonly at: number;
}

/** Since when things are as they are; what was there before the proxy is old. */
export interface Ages {
  record(before: World, after: World, at: number): void;
  /** Lists the rules that were created since; a default rule comes with its listener. */
  rulesSince(at: number): ReadonlySet<string>;
  /** Tells when a target has come to be checked: since it is registered, and its group in use. */
  checkedSince(group: string, key: string): number;
  /** Lists the targets of a group that were deregistered since. */
  leftSince(group: string, at: number): readonly Leaving[];
}

const usedIn = (world: World): ReadonlySet<string> =>
  new Set([...world.rules.values()].flatMap((rule) => groupsOf(items(rule, 'Actions'))));

/** Remembers when rules, registrations and the use of groups began. */
export function createAges(): Ages {
  const rules = new Map<string, number>();
  const used = new Map<string, number>();
  const registered = new Map<string, number>();
  const left = new Map<string, readonly Leaving[]>();

  const recordRules = (before: World, after: World, at: number): void => {
    for (const [arn, rule] of after.rules) if (!before.rules.has(arn) && !isDefault(rule)) rules.set(arn, at);
    const past = usedIn(before);
    for (const group of usedIn(after)) if (!past.has(group)) used.set(group, at);
  };

  const recordTargets = (group: string, [before, after]: readonly Targets[], at: number): void => {
    for (const key of after?.keys() ?? [])
      if (before?.has(key) !== true) registered.set(`${group} ${key}`, at);
    const isGone = ([key]: readonly [string, Fields]): boolean => after?.has(key) !== true;
    const gone = [...(before ?? [])].filter(isGone).map(([key, target]) => ({ key, target, at }));
    const stays = (left.get(group) ?? []).filter(({ key }) => after?.has(key) !== true);
    left.set(group, [...stays, ...gone]);
  };

  return {
    record: (before, after, at) => {
      if (before.rules !== after.rules) recordRules(before, after, at);
      if (before.targets === after.targets) return;
      for (const [group, targets] of after.targets) {
        const past = before.targets.get(group);
        if (past !== targets) recordTargets(group, [past ?? new Map(), targets], at);
      }
    },
    rulesSince: (at) => new Set([...rules].filter(([, created]) => created > at).map(([arn]) => arn)),
    checkedSince: (group, key) => Math.max(registered.get(`${group} ${key}`) ?? 0, used.get(group) ?? 0),
    leftSince: (group, at) => (left.get(group) ?? []).filter((one) => one.at > at),
  };
}

type Targets = ReadonlyMap<string, Fields>;
