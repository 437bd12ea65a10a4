import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { ShownEvent } from './cell-view.ts';
import { eventsTable, listed, section } from './describe-cell.ts';
import { fieldsIn, recordsIn, textIn } from '../../domain/model/shape.ts';
import { requestsTable } from './history.ts';
import { layOutPairs, type Table } from './table.ts';
import { inOneLine } from '../terminal-text.ts';
import { ageOf, formatTime } from './time.ts';

/** All that is shown of a StagedBindingPolicy. */
export interface StagedView {
  readonly policy: StagedBindingPolicy;
  readonly events: readonly ShownEvent[];
  readonly url?: string | undefined;
}

/** Says all that there is to say about a StagedBindingPolicy. */
export function describeStaged({ policy, events, url }: StagedView, now: number): string {
  const { metadata, status = {} } = policy;
  const { phase = 'Pending', reason, message = 'Nobody has looked at it yet; see okractl check.' } = status;
  const { paused, held } = status;
  const head = layOutPairs([
    ['StagedBindingPolicy', metadata.name],
    ['Phase', reason === undefined ? phase : `${phase} (${reason})`],
    ['Says', inOneLine(message)],
    ['Stage', status.activeStage],
    ['Fulfilled', status.fulfilled === undefined ? undefined : `${status.fulfilled} objects`],
    [
      'Paused by',
      paused === undefined ? undefined : `${paused.by}${paused.reason === '' ? '' : `: ${paused.reason}`}`,
    ],
    ['Held', held === undefined ? undefined : `${held.reason}: ${inOneLine(held.message)}`],
    ['Reported', formatTime(status.lastSyncTime, now)],
    ['Workflow', url],
  ]);
  return [
    head,
    section('Stages', stagesTable(policy, now)),
    section('Asked for', requestsTable(status.requests ?? [])),
    section('Events', eventsTable(events, now)),
    listed('You can', commandsForStaged(policy)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The names of the stages; none where they are of a form that no schema allows, which must not stop what shows the others. */
export const stageNamesIn = (spec: unknown): readonly string[] =>
  recordsIn(fieldsIn(spec)['stages']).flatMap(({ name }) => textIn(name) ?? []);

/** The stages in their order, with where each stands. */
export function stagesTable(
  { spec, status = {} }: Pick<StagedBindingPolicy, 'spec' | 'status'>,
  now: number,
): Table {
  return {
    headings: ['STAGE', 'PHASE', 'FOR', 'FULFILLED', 'REASON'],
    rows: stageNamesIn(spec).map((name) => {
      const stage = status.stages?.find((one) => one.name === name);
      const { phase = 'Pending', since, fulfilled, objects, firstUnfulfilled, reason } = stage ?? {};
      return [
        name,
        phase,
        ageOf(since, now),
        objects === undefined ? '-' : `${fulfilled ?? 0}/${objects}`,
        [firstUnfulfilled, reason].filter((text) => text !== undefined).join(': ') || '-',
      ];
    }),
  };
}

function commandsForStaged({ metadata: { name }, status = {} }: StagedBindingPolicy): readonly string[] {
  const command = (verb: string): string => `okractl ${verb} sbp/${name}`;
  const at = status.activeStage === undefined ? '' : ` --stage ${status.activeStage}`;
  if (status.held !== undefined) return [`${command('retry')}  (lets it go on)`];
  if (status.paused !== undefined) return [`${command('resume')}  (ends the pause)`];
  if (status.phase === 'Paused')
    return [
      `${command('promote')}${at}  (begins the next stage)`,
      `${command('abort')}  (takes the stage back)`,
    ];
  return [];
}
