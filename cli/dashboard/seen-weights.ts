import type { ToldWeights } from '../../clients/temporal/weight-history.ts';
import type { KnownCell } from './rows.ts';

/** How many changes of a Cell are kept, the newest: more than the steps of a rollout. */
const MOST = 300;

/** Notes the weights of a Cell when they differ from those that were seen last. */
export function noted(
  before: readonly ToldWeights[],
  { cell, asked }: KnownCell,
  now: number,
): readonly ToldWeights[] {
  const named = (groups: readonly { readonly name: string; readonly weight: number }[]) =>
    groups.map(({ name, weight }) => ({ name, weight }));
  const served = cell.status?.targetGroups;
  const next: ToldWeights = {
    at: now,
    ...(asked.is === 'Known' ? { asked: named(asked.targetGroups) } : {}),
    ...(served === undefined ? {} : { served: named(served) }),
  };
  const { at: _then, ...last } = before.at(-1) ?? { at: 0 };
  const { at: _now, ...these } = next;
  return JSON.stringify(last) === JSON.stringify(these) ? before : [...before, next].slice(-MOST);
}
