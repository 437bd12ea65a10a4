import type { CellStatus } from '../../crds/cell.ts';
import { unreadyClusters } from '../gates/gate.ts';
import type { RolloutPlan, RolloutView } from '../model/view.ts';
import type { ApplicationsState } from './state.ts';

/** Answers the query `state` for a Cell with applications. */
export const applicationsView = ({ reported }: ApplicationsState): RolloutView => ({
  status: reported ?? {},
  requests: {},
});

/** Answers the query `plan` for a Cell with applications: in which order they go, and how far they are. */
export function applicationsPlan({ reported }: ApplicationsState): RolloutPlan {
  const marks = reported?.applications ?? [];
  return {
    steps: marks.map(({ name, phase, message = '' }) => ({
      step: `${name}: ${phase}. ${message}`,
      stands: phase === 'Synced' ? 'done' : phase === 'Pending' ? 'ahead' : 'current',
    })),
  };
}

/** Renders how the applications of a Cell stand as Markdown, for the Web UI. */
export function applicationsDetails({
  phase,
  message,
  applications = [],
  clusters = [],
}: CellStatus): string {
  const rows = applications.map(
    (one) =>
      `| ${one.name} | ${one.phase} | ${one.revision ?? ''} | ${one.child?.weight ?? ''} | ${inCell(one.message ?? '')} |`,
  );
  const missing = unreadyClusters({ status: { clusters } });
  return [
    `**${phase ?? 'Starting'}** ${message ?? ''}`,
    ...(rows.length === 0
      ? []
      : ['', '| application | phase | revision | weight | |', '|---|---|---|---|---|', ...rows]),
    ...(missing.length === 0 ? [] : ['', `Not ready: ${missing.join(', ')}.`]),
  ].join('\n');
}

/** A text that does not end the cell of a table. */
const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
