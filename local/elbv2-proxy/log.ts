import type { TargetView } from './health.ts';
import { type Fields, everyText } from './protocol/fields.ts';
import { arnKindOf, listenerOfRule } from './world/arns.ts';
import type { RuleView } from './world/world.ts';

/** One ELBv2 call, from its arrival to its answer; times are milliseconds since the epoch. */
export interface CallRecord {
  readonly seq: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly action: string;
  readonly parameters: Fields;
  readonly account: string;
  readonly region: string;
  readonly userAgent: string;
  /** What the caller got; a dropped connection has status 0. */
  readonly outcome: { readonly status: number; readonly code?: string };
  /** Whether the emulator has changed its state. */
  readonly applied: boolean;
  /** The place of an applied write in the order in which writes were applied; calls are logged when they end. */
  readonly appliedOrder?: number;
  readonly refusedBy?: string;
  readonly fault?: string;
  readonly before?: readonly RuleView[];
  readonly after?: readonly RuleView[];
  readonly health?: readonly TargetView[];
}

/** Which calls are wanted. */
export interface CallFilter {
  readonly since?: number;
  readonly listener?: string;
  readonly targetGroup?: string;
  readonly action?: string;
  /** Texts of which a call's parameters have at least one somewhere. */
  readonly mentions?: readonly string[];
}

/** The log of ELBv2 calls. */
export interface CallLog {
  add(call: Omit<CallRecord, 'seq'>): CallRecord;
  find(filter: CallFilter): readonly CallRecord[];
  /** The number of the last call. */
  last(): number;
  clear(): void;
}

function subjectsOf(call: Omit<CallRecord, 'seq'>): ReadonlySet<string> {
  const named = everyText(call.parameters).filter((one) => one.startsWith('arn:'));
  const views = [...(call.before ?? []), ...(call.after ?? [])];
  const touched = views.flatMap((view) => [view.listenerArn, ...view.forward.map((one) => one.arn)]);
  const listeners = named.filter((arn) => arnKindOf(arn) === 'listener rule').map(listenerOfRule);
  return new Set([...named, ...touched, ...listeners]);
}

function mentionsAny({ parameters }: CallRecord, texts: readonly string[]): boolean {
  const all = JSON.stringify(parameters);
  return texts.some((text) => all.includes(text));
}

/** Keeps the last calls in memory. */
export function createCallLog(capacity = 100_000): CallLog {
  let entries: { readonly call: CallRecord; readonly subjects: ReadonlySet<string> }[] = [];
  let seq = 0;
  return {
    add: (one) => {
      seq += 1;
      const call = { seq, ...one };
      entries.push({ call, subjects: subjectsOf(one) });
      // Cut in blocks: shifting an array of this length on every call is slow.
      if (entries.length > capacity * 1.1) entries = entries.slice(-capacity);
      return call;
    },
    find: ({ since = 0, listener, targetGroup, action, mentions }) =>
      entries
        .filter(
          ({ call, subjects }) =>
            call.seq > since &&
            (listener === undefined || subjects.has(listener)) &&
            (targetGroup === undefined || subjects.has(targetGroup)) &&
            (action === undefined || call.action === action) &&
            (mentions === undefined || mentionsAny(call, mentions)),
        )
        .map(({ call }) => call),
    last: () => seq,
    clear: () => {
      entries = [];
    },
  };
}
