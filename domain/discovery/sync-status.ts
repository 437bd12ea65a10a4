import { given, omit } from '../model/fields.ts';
import { canonical } from '../kubernetes/canonical.ts';
import { conditionsFrom, type Condition } from '../kubernetes/conditions.ts';
import { cut } from '../text.ts';
import { LONGEST_CLUSTER_NAME } from './clusters/known-cluster.ts';

/** What is wrong with one cluster or one object, while the others continue. */
export interface Problem {
  readonly cluster?: string | undefined;
  readonly object?: string | undefined;
  readonly reason: string;
  readonly message: string;
}

// As many and as long as the schema takes (crds/sets.ts).
const MOST_PROBLEMS = 100;
const LONGEST_SUMMARY = 4096;
const LONGEST_MESSAGE = 1024;
const LONGEST_OBJECT = 512;

/** Derives the status of a sync: Synced with what was achieved, or Degraded with the first of what is wrong. */
export function deriveSyncStatus(
  synced: { readonly message: string; readonly problems: readonly Problem[] },
  before: { readonly conditions?: readonly Condition[] | undefined },
  at: { readonly generation: number; readonly time: string },
) {
  const { problems } = synced;
  const [first] = problems;
  const reason = first?.reason ?? 'Synced';
  const said = first === undefined ? synced.message : `${lead(problems)} ${synced.message}`;
  const message = cut(said, LONGEST_SUMMARY);
  const holds = first === undefined;
  return {
    observedGeneration: at.generation,
    phase: holds ? ('Synced' as const) : ('Degraded' as const),
    reason,
    message,
    problems: problems.slice(0, MOST_PROBLEMS).map(shorten),
    conditions: conditionsFrom(
      [
        { type: 'Ready', holds, reason, message },
        { type: 'Degraded', holds: !holds, reason, message },
      ],
      before.conditions ?? [],
      at,
    ),
  };
}

// As many as the schema takes (crds/sets.ts).
const MOST_NAMES = 1000;

/** The names of the clusters that a set found, as many of them as a status has room for. */
export const namesOf = (names: readonly string[]): { readonly names: readonly string[] } => ({
  names: names.slice(0, MOST_NAMES),
});

/** Whether a status says what the one before it said, whenever that was. */
export const saysTheSame = (
  status: object,
  before: { readonly lastSyncTime?: string | undefined } = {},
): boolean => canonical(status) === canonical(omit(before, 'lastSyncTime'));

function lead(problems: readonly Problem[]): string {
  const first = shorten(problems[0] ?? { reason: '', message: '' }).message;
  return problems.length === 1 ? first : `${first} (and ${problems.length - 1} more)`;
}

const shorten = ({ cluster, object, reason, message }: Problem): Problem => ({
  ...given({
    cluster: cluster && cut(cluster, LONGEST_CLUSTER_NAME),
    object: object && cut(object, LONGEST_OBJECT),
  }),
  reason,
  message: cut(message, LONGEST_MESSAGE),
});
