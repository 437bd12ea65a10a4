import type { Cell, CellStatus } from '../../crds/cell.ts';
import { unreadyClusters } from '../../domain/gates/clusters.ts';
import { freezeAt, type Freezing } from '../../domain/gates/freeze.ts';
import { openingAt } from '../../domain/gates/windows.ts';
import { inOneLine } from '../terminal-text.ts';
import type { GateView } from './view.ts';

/** Says what can hold the rollouts of a Cell from outside, and what holds them now. */
export function gatesOf(
  { cell, freezes }: { readonly cell: Cell; readonly freezes: readonly Freezing[] },
  now: number,
): readonly GateView[] {
  const { spec, status = {} } = cell;
  const freeze = freezeAt(freezes, now);
  const paused = status.rollout?.paused ?? status.paused;
  const unready = unreadyClusters(cell);
  return [
    freeze === undefined
      ? { name: 'Freeze', holds: false, text: 'none' }
      : {
          name: 'Freeze',
          holds: true,
          text: inOneLine(`${freeze.name} of ${freeze.by}: ${freeze.reason}`),
          ...(freeze.until === undefined ? {} : { until: isoOf(freeze.until) }),
        },
    windowOf(cell, now),
    paused === undefined
      ? { name: 'Pause', holds: false, text: 'nobody has paused it' }
      : {
          name: 'Pause',
          holds: true,
          text: inOneLine(`by ${paused.by}${paused.reason === '' ? '' : `: ${paused.reason}`}`),
        },
    ...(spec.ingress === undefined
      ? [
          {
            name: 'Clusters',
            holds: unready.length > 0,
            text: unready.length === 0 ? 'all are ready' : `not ready: ${unready.join(', ')}`,
          },
        ]
      : [
          ...heldElsewhere(status),
          {
            name: 'Health',
            holds: status.reason === 'WaitingForHealth' || status.reason === 'UnhealthyTargets',
            text: `at least ${spec.minHealthyTargets} healthy in each target group that gains weight`,
          },
        ]),
  ];
}

/** The gates that a Cell shows only while they hold, by the reason that says so. */
const elsewhere: Readonly<Record<string, string>> = {
  WaitingForKind: 'Kind',
  WaitingForClusters: 'Clusters',
  WaitingForApplication: 'Applications',
};

function heldElsewhere({ reason = '', message = '' }: CellStatus): readonly GateView[] {
  const name = elsewhere[reason];
  return name === undefined ? [] : [{ name, holds: true, text: inOneLine(message) }];
}

function windowOf({ spec }: Cell, now: number): GateView {
  const name = 'Window';
  if (spec.windows === undefined) return { name, holds: false, text: 'none: it may move at any time' };
  const opening = openingAt(spec.windows, now);
  if (opening.is === 'Open') return { name, holds: false, text: 'open' };
  return opening.opensAt === undefined
    ? { name, holds: true, text: 'shut, and opens at no time within 400 days' }
    : { name, holds: true, text: 'shut; opens', until: isoOf(opening.opensAt) };
}

const isoOf = (at: number): string => new Date(at).toISOString();
