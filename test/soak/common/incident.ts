import { setTimeout as wait } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import { SECONDS } from './settings.ts';

/** Something that may happen to one of many objects, or to all of them. */
export interface Incident<T> {
  readonly name: string;
  /** How often it happens, beside the others. */
  readonly weight: number;
  /** What is told before it happens: after it, what was to come may come to something else. */
  readonly before?: (object: T) => Promise<void> | void;
  /** Lets it happen, and says more of it. */
  readonly happen: (object: T) => Promise<string | void> | string | void;
}

/** Where things happen. */
export interface Happening<T extends { readonly name: string }> {
  readonly dice: Dice;
  readonly objects: readonly T[];
  readonly incidents: readonly Incident<T>[];
}

/** The longest time between two incidents, in milliseconds; most are much shorter. */
const LONGEST_PAUSE_MS = 1_500;

const began = Date.now();

/** Says when something happened. */
export const say = (line: string): void =>
  void process.stdout.write(`${((Date.now() - began) / 1000).toFixed(2)} ${line}\n`);

/** Lets one thing after another happen, as long as the settings say. */
export async function letHappen<T extends { readonly name: string }>(on: Happening<T>): Promise<void> {
  const { dice, objects, incidents } = on;
  for (
    const end = Date.now() + SECONDS * 1000;
    Date.now() < end;
    await wait(dice.number() ** 2 * LONGEST_PAUSE_MS)
  ) {
    const [object, incident] = [dice.pick(objects), dice.weighted(incidents)];
    await incident.before?.(object);
    // Some cannot happen just now: a request, say, where no workflow runs.
    const told = await Promise.resolve()
      .then(() => incident.happen(object))
      .catch((error: unknown) => `not: ${String(error)}`);
    say(`${object.name} ${incident.name} ${told ?? ''}`);
  }
}
