/** One figure of the benchmark. */
export interface Figure {
  readonly what: string;
  /** Undefined where it cannot be measured. */
  readonly value: number | undefined;
  readonly unit: 's' | 'ms' | 'MB' | 'times' | 'objects' | 'events' | 'requests';
  /** What the figure is to stay below; undefined where nothing is promised. */
  readonly below?: number;
}

/** The value in the middle; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined)
    throw new Error('Expected values to take a median of, got none.');
  return (low + high) / 2;
}

/** The table of all figures, as it stands in docs/performance.md. */
export function table(figures: readonly Figure[]): string {
  const rows = [
    ['what', 'measured', 'target', ''],
    ...figures.map((figure) => [figure.what, measured(figure), targetOf(figure), verdictOn(figure)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const measured = ({ value, unit }: Figure): string =>
  value === undefined || Number.isNaN(value)
    ? 'cannot be measured here'
    : `${value.toFixed(digits[unit])} ${unit}`;

function targetOf({ below, unit }: Figure): string {
  if (below === undefined) return '';
  return below === 1 && unit === 'objects' ? 'none' : `below ${below} ${unit}`;
}

function verdictOn({ value, below }: Figure): string {
  if (value === undefined || below === undefined) return '';
  return value < below ? 'met' : 'missed';
}

const digits: Readonly<Record<Figure['unit'], number>> = {
  s: 2,
  ms: 0,
  MB: 0,
  times: 2,
  objects: 0,
  events: 0,
  requests: 0,
};
