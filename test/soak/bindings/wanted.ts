import type { CallRecord } from '../../../elbv2-proxy/control.ts';

/** How long a target has to have been wanted for it to be wrong to deregister it, in milliseconds. */
const STEADY_MS = 15_000;

/** What each target group should have, from some moment on. */
interface Moment {
  readonly at: number;
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What target groups should have, over time. */
export class Wanted {
  readonly #moments: Moment[] = [];
  readonly #foreign: string;

  /** Someone else's target is in each target group. */
  constructor(foreign: string) {
    this.#foreign = foreign;
  }

  /** From now on this is wanted, by target group. Okra may know of it as soon as the API server does: to be told before. */
  note(wanted: Moment['wanted']): void {
    this.#moments.push({ at: Date.now(), wanted });
  }

  /** What a target group should have now. */
  in(arn: string): readonly string[] {
    return [...(this.#moments.at(-1)?.wanted.get(arn) ?? [])];
  }

  /** Targets that were deregistered although they had been wanted for long, or were someone else's. */
  wronglyGone(calls: readonly CallRecord[]): readonly string[] {
    return calls
      .filter(({ action, applied }) => action === 'DeregisterTargets' && applied)
      .flatMap((call) =>
        targetsOf(call)
          .filter((target) => target === this.#foreign || this.#wasWanted(target, call))
          .map((target) => `call ${call.seq} at ${call.startedAt} took ${target} out of ${groupOf(call)}`),
      );
  }

  #wasWanted(target: string, call: CallRecord): boolean {
    const first = this.#moments.findLastIndex(({ at }) => at <= call.startedAt - STEADY_MS);
    if (first === -1) return false;
    return this.#moments
      .slice(first)
      .filter(({ at }, index) => index === 0 || at <= call.endedAt)
      .every(({ wanted }) => wanted.get(groupOf(call))?.has(target) === true);
  }
}

const groupOf = ({ parameters }: CallRecord): string => parameters['TargetGroupArn'] as string;

const targetsOf = ({ parameters }: CallRecord): readonly string[] =>
  (parameters['Targets'] as readonly { readonly Id: string; readonly Port: string }[]).map(
    ({ Id, Port }) => `${Id}:${Port}`,
  );
