import { weightsText } from '../../domain/load-balancers/load-balancer.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { ApplicationPlan } from '../../domain/plan/applications-plan.ts';
import type { CellPlan, PlanPart } from '../../domain/plan/plan.ts';
import type { PlannedEvent } from '../../domain/plan/run-ahead.ts';
import { asLine, inOneLine } from '../terminal-text.ts';
import { listed } from './describe-cell.ts';
import { formatDuration, layOut, type Table, withoutFraction } from './output.ts';

export function formatPlan(title: string, { parts, problems }: CellPlan): string {
  const [first, ...others] = parts;
  const told = [
    first === undefined ? '' : partOf(first, title, problems),
    ...others.map((part) =>
      partOf(part, `With target groups of ${part.assumed ?? 'it'} (assumed)`, problems),
    ),
    listed('Problems', problems.map(inOneLine)),
  ];
  return told.filter((part) => part !== '').join('\n\n');
}

/** A message, or where it is when it stands among the problems, so that nothing is printed twice. */
const onceOf = (message: string, problems: readonly string[]): string =>
  problems.includes(message) ? 'See Problems.' : inOneLine(message);

function partOf({ ahead }: PlanPart, title: string, problems: readonly string[]): string {
  const { rollout, events, end, stuck } = ahead;
  const heading = inOneLine(rollout === undefined ? title : `${title}: ${rollout.from} → ${rollout.to}`);
  const assumed = [...new Set(events.flatMap(({ assumes = [] }) => assumes))];
  return [
    ...(events.length === 0
      ? [`${heading}: nothing to do.`]
      : [`${heading}:`, indented(layOut(eventsTable(events)))]),
    ...assumed.map((text) => asLine(`  * Assumed: ${text}.`)),
    ...(end === undefined ? [] : [`  Outcome: ${end.outcome}. ${onceOf(end.message, problems)}`]),
    ...(stuck === undefined ? [] : [`  Never ends: ${onceOf(stuck.message, problems)}`]),
  ].join('\n');
}

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

/** The table of what is done and waited for; times count from the first row. */
function eventsTable(events: readonly PlannedEvent[]): Table {
  const start = events[0]?.at ?? 0;
  return {
    headings: ['AFTER', 'TIME', 'STEP', 'WEIGHTS', 'WHAT'],
    rows: events.map(({ at, step, does, weights, assumes }) => [
      formatDuration(at - start),
      withoutFraction(new Date(at).toISOString()),
      step ?? '-',
      weights === undefined ? '' : weightsText(weights),
      `${inOneLine(does)}${assumes === undefined ? '' : ' *'}`,
    ]),
  };
}

export function formatApplicationsPlan(
  { namespace, name: cell }: ObjectKey,
  applications: readonly ApplicationPlan[],
  { assumed, problems }: Readonly<Record<'assumed' | 'problems', readonly string[]>>,
): string {
  const told = applications.flatMap(({ name, revision, before, traffic, after }) => {
    const sentences = (all: readonly string[]): string => all.map((one) => asLine(`  ${one}`)).join('\n');
    const title = `Application ${name} of Cell ${namespace}/${cell}, revision ${revision ?? 'unknown'}`;
    const moves = traffic && formatPlan(`Cell ${namespace}/${cell}-${name}`, { ...traffic, problems: [] });
    const isInPlace = before.length + after.length === 0 && traffic === undefined;
    const heading = asLine(`${title}${isInPlace ? ': nothing to do.' : ':'}`);
    return [heading, sentences(before), ...(moves === undefined ? [] : [indented(moves)]), sentences(after)];
  });
  const taken = assumed.map((text) => asLine(`* Assumed: ${text}.`));
  const all = [...told, ...taken].filter((part) => part !== '').join('\n');
  return [all, listed('Problems', problems.map(inOneLine))].filter((part) => part !== '').join('\n\n');
}
