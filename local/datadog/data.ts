/** What a query comes to in a bucket, by the time at which it begins; null: nothing was reported. */
export type Points = number | null | ((at: number) => number | null);

/** What a query comes to: the same for all, or by group. */
export type Known = Points | { readonly groups: Readonly<Record<string, Points>> };

/** A group and its points. */
export interface Group {
  /** The tags, `pod:a` for example; none when nothing is grouped. */
  readonly tags: readonly string[];
  readonly points: readonly (readonly [at: number, value: number | null])[];
}

/** What is asked of a query. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
  readonly nowMs: number;
}

/** The points of a known query. The current bucket has only a part yet of what it will have. */
export function groupsOf(known: Known | undefined, range: Range): readonly Group[] {
  if (known === undefined) return [];
  const groups =
    typeof known === 'object' && known !== null
      ? Object.entries(known.groups).map(([tags, points]) => ({ tags: tags.split(','), points }))
      : [{ tags: [], points: known }];
  return groups.map(({ tags, points }) => ({ tags, points: pointsOf(points, range) }));
}

function pointsOf(
  of: Points,
  { fromMs, toMs, bucketMs, nowMs }: Range,
): (readonly [number, number | null])[] {
  const first = Math.floor(fromMs / bucketMs) * bucketMs;
  const last = Math.min(toMs, nowMs);
  const count = Math.max(0, Math.ceil((last - first) / bucketMs));
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * bucketMs;
    const value = typeof of === 'function' ? of(at) : of;
    const part = Math.min(1, (last - at) / bucketMs);
    return [at, value === null ? null : value * part] as const;
  });
}

/** How Datadog reduces points to one value. */
export function aggregate(values: readonly (number | null)[], by: string): number | null {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return null;
  const sum = known.reduce((a, b) => a + b, 0);
  switch (by) {
    case 'sum':
      return sum;
    case 'min':
      return Math.min(...known);
    case 'max':
      return Math.max(...known);
    case 'last':
      return last;
    default:
      return sum / known.length;
  }
}
