import { SCALAR, listOf, textOf, type Extent } from './extent.ts';

/** What a call may cost, and how large its result may be; the receiver is the first argument. */
export interface CallCost {
  readonly cost: number;
  readonly result: Extent;
}

type Rule = (args: readonly Extent[]) => CallCost;

const sum = (args: readonly Extent[]): number => args.reduce((all, { total }) => all + total, 0);
const at = (args: readonly Extent[], index: number): Extent => args[index] ?? SCALAR;

const scalar: Rule = (args) => ({ cost: sum(args), result: SCALAR });
/** Looks for one text in another, in the worst case from the start at each place. */
const search: Rule = (args) => ({ cost: at(args, 0).total * at(args, 1).total, result: SCALAR });
const same: Rule = (args) => ({ cost: sum(args), result: at(args, 0) });
// The longest number, date or duration has fewer characters.
const text: Rule = (args) => ({ cost: sum(args) + 50, result: textOf(Math.max(50, at(args, 0).total)) });
// One character may become three when its case changes.
const changedCase: Rule = (args) => ({ cost: 3 * sum(args), result: textOf(3 * at(args, 0).total) });
// The time zone database is asked each time.
const inTimeZone: Rule = (args) => ({ cost: 1000 + sum(args), result: SCALAR });

const timeParts = [
  'Date',
  'DayOfMonth',
  'DayOfWeek',
  'DayOfYear',
  'FullYear',
  'Hours',
  'Milliseconds',
  'Minutes',
  'Month',
  'Seconds',
];

/** The functions that expressions may call, but for macros and `matches`. */
export const functions: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['size', scalar],
  ['startsWith', scalar],
  ['endsWith', scalar],
  ['int', scalar],
  ['uint', scalar],
  ['double', scalar],
  ['bool', scalar],
  ['timestamp', scalar],
  ['duration', scalar],
  ['type', scalar],
  ['dyn', same],
  ['trim', same],
  ['substring', same],
  ['string', text],
  ['contains', search],
  ['indexOf', search],
  ['lastIndexOf', search],
  ['lowerAscii', changedCase],
  ['upperAscii', changedCase],
  ['split', (args) => ({ cost: search(args).cost, result: splitOf(at(args, 0)) })],
  ['join', (args) => joined(at(args, 0), at(args, 1))],
  ...timeParts.map((part) => [`get${part}`, inTimeZone] as const),
]);

/** Each character may become an element, and all of them together are no longer than the text. */
const splitOf = (of: Extent): Extent => ({ ...listOf(of.total, textOf(1)), each: textOf(of.total) });

function joined(list: Extent, separator: Extent): CallCost {
  const total = list.total + list.length * separator.total;
  return { cost: total, result: textOf(total) };
}
