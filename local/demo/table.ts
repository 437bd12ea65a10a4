import type { CellStatus } from '../../crds/cell.ts';
import type { Weights } from './traffic.ts';

/** One moment of the demo. */
export interface Moment {
  readonly status: CellStatus;
  readonly weights: Weights;
}

const widths = [8, 12, 5, 46] as const;

/** The heading of the table. */
export const heading = (): string =>
  line(['seconds', 'phase', 'step', 'weights, as ELBv2 serves them', 'what is happening']);

/** One row of the table. */
export function row(seconds: number, { status, weights }: Moment): string {
  const shares = Object.entries(weights).map(([name, weight]) => `${name} ${weight}`);
  return line([
    seconds.toFixed(1).padStart(7),
    status.phase ?? '',
    status.step ?? '',
    shares.join('  '),
    status.message ?? '',
  ]);
}

/** What makes one moment worth another row. */
export const sightOf = ({ status, weights }: Moment): string =>
  JSON.stringify([status.phase, status.step, weights, status.message]);

const line = (cells: readonly string[]): string =>
  `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' ')}`.trimEnd();
