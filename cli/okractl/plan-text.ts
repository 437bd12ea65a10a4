import { weightsText } from '../../domain/load-balancers/load-balancer.ts';
import type { ApplicationsPlan, PlannedAction } from '../../domain/plan/applications-plan.ts';
import type { CellPlan, PlanPart } from '../../domain/plan/plan.ts';
import { asLine, inOneLine } from '../terminal-text.ts';
import { listed } from './describe-cell.ts';
import { formatDuration, layOut, type Table, withoutFraction } from './output.ts';

/** Says a plan to people. */
export function formatPlan(cell: string, { parts, problems }: CellPlan): string {
  const [first, ...others] = parts;
  const told = [
    first === undefined ? '' : partOf(first, `Cell ${cell}, as it is now`, problems),
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
function eventsTable(events: readonly Omit<PlannedAction, 'is'>[], ofApplications = false): Table {
  const start = events[0]?.at ?? 0;
  return {
    headings: ['AFTER', 'TIME', ...(ofApplications ? ['APPLICATION'] : []), 'STEP', 'WEIGHTS', 'WHAT'],
    rows: events.map(({ at, application = '-', step, does, weights, assumes }) => [
      formatDuration(at - start),
      withoutFraction(new Date(at).toISOString()),
      ...(ofApplications ? [application] : []),
      step ?? '-',
      weights === undefined ? '' : weightsText(weights),
      `${inOneLine(does)}${assumes === undefined ? '' : ' *'}`,
    ]),
  };
}

/** Says the plan of a Cell with applications to people. */
export function formatApplicationsPlan(cell: string, plan: ApplicationsPlan): string {
  const { actions, revisions, end, problems } = plan;
  const assumed = new Set([...plan.assumed, ...actions.flatMap(({ assumes = [] }) => assumes)]);
  const comes = revisions.map(({ application, revision }) => `${application} ${revision}`).join(', ');
  const title = `Cell ${cell}, as it is now`;
  const part = [
    ...(actions.length === 0
      ? [`${title}: nothing to do.`]
      : [
          inOneLine(`${title}: revisions ${comes === '' ? 'none' : comes}`),
          indented(layOut(eventsTable(actions, true))),
        ]),
    ...[...assumed].map((text) => asLine(`  * Assumed: ${text}.`)),
    `  Outcome: ${end.phase}. ${onceOf(end.message, problems)}`,
  ].join('\n');
  return [part, listed('Problems', problems.map(inOneLine))].filter((one) => one !== '').join('\n\n');
}
