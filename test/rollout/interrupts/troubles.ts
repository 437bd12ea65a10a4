import { ApplicationFailure } from '@temporalio/common';
import { isPermanent, type FailureType } from '../../../domain/failures.ts';

/** Where something outside can go wrong. */
export type Place = 'look' | 'report' | 'health' | 'read' | 'write' | 'template';

/** What goes wrong there, until it is lifted. */
export type Trouble =
  /** It does not answer. Whoever is cancelled goes; the others are answered when it is lifted. */
  | { readonly does: 'hang' }
  /** It answers with an error; the first so many are let through. */
  | { readonly does: 'refuse'; readonly type: FailureType; readonly after?: number }
  /** A write is applied, and answered with an error. */
  | { readonly does: 'applyAndRefuse' }
  /** A write is on its way and cannot be called back; it is applied when it is lifted. */
  | { readonly does: 'takeLong' };

/** What goes wrong in a world, and who waits because of it. */
export class Troubles {
  readonly #at = new Map<Place, Trouble>();
  readonly #waiting = new Map<() => void, Passing>();

  /** Lets something go wrong from now on. */
  cause(place: Place, trouble: Trouble): void {
    this.#at.set(place, trouble);
  }

  /** Lets nothing go wrong any more. */
  lift(): void {
    this.#at.clear();
    for (const release of this.#waiting.keys()) release();
  }

  /** How many activities of a run wait for an answer. */
  waiting(runId: string): number {
    return this.#waitingOf(runId).length;
  }

  /** Whether all who wait for an answer are cancelled. */
  isGivenUp(runId: string): boolean {
    return this.#waitingOf(runId).every(({ signal }) => signal.aborted);
  }

  #waitingOf(runId: string): readonly Passing[] {
    return [...this.#waiting.values()].filter((one) => one.runId === runId);
  }

  /** Comes by a place; throws, or does not come back soon, when something is wrong there. */
  async pass(place: Exclude<Place, 'write'>, by: Passing): Promise<void> {
    const trouble = this.#at.get(place);
    if (trouble?.does === 'hang') await this.#hang(by, true);
    if (trouble?.does === 'refuse') this.#refuse(place, trouble);
  }

  /** Sends a write, which is applied or not. */
  async send(apply: () => void, by: Passing): Promise<void> {
    const trouble = this.#at.get('write');
    if (trouble?.does === 'refuse') this.#refuse('write', trouble);
    if (trouble?.does === 'takeLong') await this.#hang(by, false);
    apply();
    if (trouble?.does === 'applyAndRefuse') throw failureOf('Unavailable');
  }

  #refuse(place: Place, trouble: Extract<Trouble, { does: 'refuse' }>): void {
    const { type, after = 0 } = trouble;
    if (after === 0) throw failureOf(type);
    this.#at.set(place, { ...trouble, after: after - 1 });
  }

  #hang(by: Passing, mayGo: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = by;
      const over = (): void => {
        this.#waiting.delete(over);
        // As the clients of AWS do.
        if (mayGo && signal.aborted) reject(new DOMException('Request aborted', 'AbortError'));
        else resolve();
      };
      this.#waiting.set(over, by);
      if (mayGo) signal.addEventListener('abort', over, { once: true });
      if (mayGo && signal.aborted) over();
    });
  }
}

/** Who comes by a place. */
export interface Passing {
  readonly runId: string;
  readonly activityId: string;
  readonly signal: AbortSignal;
}

/** What an activity fails with (activities/failure.ts). */
export const failureOf = (type: FailureType, message = `The world refuses: ${type}.`): ApplicationFailure =>
  ApplicationFailure.create({ type, message, nonRetryable: isPermanent(type) });
