import type { Sample } from '../../clients/metrics/metrics.ts';
import type { Cell } from '../../crds/cell.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import { parseTime } from '../../domain/time.ts';
import type { Shelved, View, Shelf } from '../informer/store.ts';
import { word, type Held } from './listening.ts';
import type { KindEvent, Objects } from '../kinds.ts';
import { measuring, phases, type Measuring } from '../routes/route-measurement.ts';

/** What all Cells and what they measure by are like, in numbers. */
export function statesOf(
  view: Pick<View, 'Cell'> & MeasuredView,
  heldOf: (cell: string) => Held | undefined,
  now: number,
): readonly Sample[] {
  const cells = view.Cell.list();
  const rolling = cells.filter(({ status }) => status?.rollout !== undefined);
  return [
    ...byPhase('okra_cells', cells),
    ...byPhase('okra_rollouts', rolling),
    ...cells.flatMap((cell) => ofCell(cell, heldOf(formatKey(keyOf(cell))), now)),
    ...measurements(view),
  ];
}

function byPhase(name: 'okra_cells' | 'okra_rollouts', cells: Shelved<Cell>): readonly Sample[] {
  const labels = cells.map((cell) => ({
    namespace: keyOf(cell).namespace,
    phase: word(cell.status?.phase ?? 'Pending'),
  }));
  return counted(labels).map(({ of, value }) => ({ name, labels: of, value }));
}

function ofCell(cell: Cell, held: Held | undefined, now: number): readonly Sample[] {
  const { namespace, name } = keyOf(cell);
  const labels = { namespace, cell: name };
  const { rollout, canaryWeight, history = [], conditions = [] } = cell.status ?? {};
  const degraded = conditions.find(({ type, status }) => type === 'Degraded' && status === 'True');
  const [last] = history;
  const ended = parseTime(last?.endedAt);
  const samples: (Sample | undefined)[] = [
    held && {
      name: 'okra_cell_held_seconds',
      labels: { ...labels, reason: held.reason },
      value: Math.max(0, now - held.since) / 1000,
    },
    degraded && {
      name: 'okra_cell_degraded',
      labels: { ...labels, reason: word(degraded.reason) },
      value: 1,
    },
    rollout === undefined || canaryWeight === undefined
      ? undefined
      : { name: 'okra_cell_canary_weight', labels, value: canaryWeight },
    last === undefined || ended === undefined
      ? undefined
      : {
          name: 'okra_cell_last_change_timestamp_seconds',
          labels: { ...labels, outcome: word(last.outcome) },
          value: ended / 1000,
        },
  ];
  return samples.filter((sample) => sample !== undefined);
}

function measurements(view: MeasuredView): readonly Sample[] {
  const labels = measuring.flatMap((kind) =>
    phasesOf(kind, view).map((phase) => ({ kind, phase: word(phase ?? 'Pending') })),
  );
  return counted(labels).map(({ of, value }) => ({ name: 'okra_measurements', labels: of, value }));
}

/** Each of these once, with how often it is there. */
function counted<Labels extends Readonly<Record<string, string>>>(
  all: readonly Labels[],
): readonly { readonly of: Labels; readonly value: number }[] {
  const groups = new Map<string, { of: Labels; value: number }>();
  for (const of of all) {
    const key = Object.values(of).join('/');
    groups.set(key, { of, value: (groups.get(key)?.value ?? 0) + 1 });
  }
  return [...groups.values()];
}

const names: ReadonlySet<string> = new Set(measuring);

/** Whether an event is about something by which a Cell measures. */
export const isMeasured = (happened: KindEvent): happened is KindEvent<Measuring> => names.has(happened.kind);

/** What is remembered of the kinds by which Cells measure. */
type MeasuredView = { readonly [Kind in Measuring]: Shelf<Objects[Kind]> };

/** The phases of all objects of a kind. */
export const phasesOf = <Kind extends Measuring>(
  kind: Kind,
  view: Pick<MeasuredView, Kind>,
): readonly (string | undefined)[] => view[kind].list().map((object) => phases[kind](object));

/** The phases before and after an event; undefined when the object has come or gone by it. */
export function phaseChange<Kind extends Measuring>({
  kind,
  event,
}: KindEvent<Kind>): { readonly old: string | undefined; readonly now: string | undefined } | undefined {
  if (event.type !== 'update') return undefined;
  return { old: phases[kind](event.old), now: phases[kind](event.object) };
}
