import type { CellStatus } from '../../../crds/cell.ts';

/** The weights of the rule of web, by version. */
export type VersionWeights = Readonly<Record<string, number>>;

/** One moment of the demo. */
export interface ApplicationsMoment {
  readonly status: CellStatus;
  readonly weights: VersionWeights;
}

const widths = [8, 12, 16, 58] as const;

const line = (cells: readonly string[]): string =>
  `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' ')}`.trimEnd();

/** Prints a table of how the applications stand, with a row for each change. */
export function applicationsTable(
  say: (text: string) => void,
): (seconds: number, moment: ApplicationsMoment) => void {
  say(line(['seconds', 'phase', 'weights of web', 'applications', 'what is happening']));
  let seen = '';
  return (seconds, { status, weights }) => {
    const shares = Object.entries(weights).map(([version, weight]) => `${version} ${weight}`);
    const phases = (status.applications ?? []).map(({ name, phase }) => `${name} ${phase}`);
    const cells = [status.phase ?? '', shares.join('  '), phases.join('  '), status.message ?? ''];
    if (cells.join('|') === seen) return;
    seen = cells.join('|');
    say(line([seconds.toFixed(1).padStart(7), ...cells]));
  };
}

/** Prints something that happens once, between the rows. */
export const noted = (seconds: number, what: string): string =>
  `  ${seconds.toFixed(1).padStart(7)}  ${what}`;
