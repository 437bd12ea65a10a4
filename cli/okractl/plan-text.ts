import { weightsText } from '../../domain/load-balancers/load-balancer.ts';
import type { CellPlan, PlanPart } from '../../domain/plan/plan.ts';
import type { PlannedEvent } from '../../domain/plan/run-ahead.ts';
import { listed } from './describe-cell.ts';
import { layOut, type Table } from './table.ts';
import { asLine, inOneLine } from '../terminal-text.ts';
import { formatDuration, withoutFraction } from './time.ts';

/** Says a plan to people. */
export function formatPlan(cell: string, { parts, problems }: CellPlan): string {
  const [first, ...others] = parts;
  const told = [
    first === undefined ? '' : partOf(first, `Cell ${cell}, as things are`),
    ...others.map((part) =>
      partOf(part, `Once there are target groups of ${part.assumed ?? 'it'} (assumed)`),
    ),
    listed('Problems', problems.map(inOneLine)),
  ];
  return told.filter((part) => part !== '').join('\n\n');
}

function partOf({ ahead }: PlanPart, title: string): string {
  const { rollout, events, end, stuck } = ahead;
  const heading = inOneLine(rollout === undefined ? title : `${title}: ${rollout.from} → ${rollout.to}`);
  const assumed = [...new Set(events.flatMap(({ assumes = [] }) => assumes))];
  return [
    ...(events.length === 0
      ? [`${heading}: nothing is done.`]
      : [`${heading}:`, indented(layOut(tableOf(events)))]),
    ...assumed.map((text) => asLine(`  * Assumed: ${text}.`)),
    ...(end === undefined ? [] : [`  In the end: ${end.outcome}. ${inOneLine(end.message)}`]),
    ...(stuck === undefined ? [] : [`  Then it waits for ever: ${inOneLine(stuck.message)}`]),
  ].join('\n');
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');

/** The table of what is done and waited for; times count from the first event. */
export function tableOf(events: readonly PlannedEvent[]): Table {
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
