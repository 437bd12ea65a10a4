import type { CellStatus } from '../../crds/cell.ts';
import type { RolloutState } from './state.ts';
import type { Requests } from './request.ts';
import { describeStep } from '../steps/index.ts';

/** Where a rollout stands, as the query `state` answers. */
export interface RolloutView {
  /** The status as it was last written to the Cell; empty before the first look. */
  readonly status: CellStatus;
  readonly requests: Requests;
}

/** The steps of a rollout, as the query `plan` answers. */
export interface RolloutPlan {
  readonly version?: string;
  readonly steps: readonly {
    readonly step: string;
    readonly stands: 'done' | 'current' | 'ahead';
  }[];
}

/** Answers the query `state`; where a Cell has applications, its status has all that was asked. */
export const viewOf = ({
  reported = {},
  requests = {},
}: Partial<Pick<RolloutState, 'reported' | 'requests'>>): RolloutView => ({ status: reported, requests });

/** Answers the query `plan`. */
export function planOf({ rollout }: RolloutState): RolloutPlan {
  if (rollout === undefined) return { steps: [] };
  const steps = rollout.steps.map((step, index) => ({
    step: describeStep(step),
    stands:
      index < rollout.index
        ? ('done' as const)
        : index === rollout.index
          ? ('current' as const)
          : ('ahead' as const),
  }));
  return { version: rollout.canary.version, steps };
}

const marks = { done: '✓', current: '▶', ahead: '·' } as const;

/** Renders where a rollout stands as Markdown, for the Web UI. */
export function rolloutDetailsOf(state: RolloutState): string {
  const { status } = viewOf(state);
  const { version, steps } = planOf(state);
  const heading = `**${status.phase ?? 'Starting'}** ${status.message ?? ''}`;
  const groups = (status.targetGroups ?? []).map(
    (group) => `| ${group.name} | ${group.version ?? '?'} | ${group.role} | ${group.weight} |`,
  );
  const table =
    groups.length === 0
      ? []
      : ['', '| target group | version | role | weight |', '|---|---|---|---|', ...groups];
  const list =
    steps.length === 0
      ? []
      : ['', `Steps of ${version}:`, '', ...steps.map((one) => `* ${marks[one.stands]} ${one.step}`)];
  const asked = (status.requests ?? []).map(
    ({ action, by, reason }) => `* ${action} by ${by}${reason === '' ? '' : `: ${reason}`}`,
  );
  const requests = asked.length === 0 ? [] : ['', 'Requests:', '', ...asked];
  return [heading, ...table, ...list, ...requests].join('\n');
}
