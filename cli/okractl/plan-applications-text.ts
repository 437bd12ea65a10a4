import { weightsText } from '../../domain/load-balancers/load-balancer.ts';
import type { ApplicationsPlan, PlannedAction } from '../../domain/plan/applications-plan.ts';
import { listed } from './describe-cell.ts';
import { layOut, type Table } from './table.ts';
import { asLine, inOneLine } from '../terminal-text.ts';
import { formatDuration, withoutFraction } from './time.ts';

/** Says the plan of a Cell with applications to people. */
export function formatApplicationsPlan(cell: string, plan: ApplicationsPlan): string {
  const { actions, revisions, end, problems } = plan;
  const assumed = new Set([...plan.assumed, ...actions.flatMap(({ assumes = [] }) => assumes)]);
  const comes = revisions.map(({ application, revision }) => `${application} ${revision}`).join(', ');
  const title = `Cell ${cell}, as things are`;
  const part = [
    ...(actions.length === 0
      ? [`${title}: nothing is done.`]
      : [
          inOneLine(`${title}: revisions ${comes === '' ? 'none' : comes}`),
          indented(layOut(tableOf(actions))),
        ]),
    ...[...assumed].map((text) => asLine(`  * Assumed: ${text}.`)),
    `  In the end: ${end.phase}. ${inOneLine(end.message)}`,
  ].join('\n');
  return [part, listed('Problems', problems.map(inOneLine))].filter((one) => one !== '').join('\n\n');
}

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

/** The table of what is done and waited for; times count from the first action. */
function tableOf(actions: readonly PlannedAction[]): Table {
  const start = actions[0]?.at ?? 0;
  return {
    headings: ['AFTER', 'TIME', 'APPLICATION', 'STEP', 'WEIGHTS', 'WHAT'],
    rows: actions.map(({ at, application = '-', step, does, weights, assumes }) => [
      formatDuration(at - start),
      withoutFraction(new Date(at).toISOString()),
      application,
      step ?? '-',
      weights === undefined ? '' : weightsText(weights),
      `${inOneLine(does)}${assumes === undefined ? '' : ' *'}`,
    ]),
  };
}
