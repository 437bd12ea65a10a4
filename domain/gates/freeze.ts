import type { FreezeSpec } from '../../crds/freeze.ts';
import { fieldsIn, given, textIn } from '../model/fields.ts';
import { sentence } from '../text.ts';
import { parseTime } from '../time.ts';
import { byName } from '../versions/version.ts';

/** A Freeze that holds the rollouts of a namespace. */
export interface Freezing {
  readonly name: string;
  readonly by: string;
  readonly reason: string;
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly until?: number;
}

/** The Freezes that are about a namespace, by name; those that have ended are left out by `freezeAt`. */
export function freezesOf(
  namespace: string,
  freezes: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string | undefined };
    readonly spec: FreezeSpec;
  }[],
): readonly Freezing[] {
  return freezes
    .filter(
      ({ metadata, spec }) => metadata.deletionTimestamp === undefined && isAboutNamespace(spec, namespace),
    )
    .map(({ metadata: { name }, spec }) => {
      const { by, reason, until } = fieldsIn(spec);
      return {
        name,
        by: textIn(by) ?? 'nobody named',
        reason: textIn(reason) ?? 'none given',
        // One whose end cannot be read holds until it is deleted.
        ...given({ until: parseTime(textIn(until)) }),
      };
    })
    .toSorted(byName);
}

/** Whether a Freeze is about a namespace. */
export const isAboutNamespace = (spec: FreezeSpec, namespace: string): boolean =>
  frozenNamespaces(spec)?.includes(namespace) ?? true;

/** The namespaces that a Freeze names. Undefined: it is about all, as is one of which nobody can read that, until it is deleted. */
export function frozenNamespaces(spec: FreezeSpec): readonly string[] | undefined {
  const namespaces: unknown = fieldsIn(spec)['namespaces'];
  return Array.isArray(namespaces) ? namespaces.flatMap((one) => textIn(one) ?? []) : undefined;
}

/** The Freeze that holds at a time: of several, the one that holds longest. */
export const freezeAt = (freezes: readonly Freezing[], now: number): Freezing | undefined =>
  longest(freezes).find((freeze) => endsAt(freeze) > now);

/** A gate that is closed, and when it opens by itself, in milliseconds since the epoch. */
export interface ClosedGate {
  readonly message: string;
  readonly until?: number;
}

/** Says which Freeze holds, and until when; undefined when none does. */
export function holdOfFreeze(freezes: readonly Freezing[], now: number): ClosedGate | undefined {
  const freeze = freezeAt(freezes, now);
  if (freeze === undefined) return undefined;
  const { name, by, reason, until } = freeze;
  const end = until === undefined ? 'deleted' : `deleted, or ends at ${new Date(until).toISOString()}`;
  const message = `Held by Freeze ${name} of ${by}: ${sentence(reason)} Continues when it is ${end}.`;
  return { ...given({ until }), message };
}

/** The Freeze that holds longest, which is all that counts: nobody deletes those that are over, and each look would carry them along. */
export const longest = (freezes: readonly Freezing[]): readonly Freezing[] =>
  freezes.toSorted((a, b) => endsAt(b) - endsAt(a) || 0).slice(0, 1);

const endsAt = ({ until }: Freezing): number => until ?? Number.POSITIVE_INFINITY;
