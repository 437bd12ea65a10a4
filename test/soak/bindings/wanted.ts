import type { CallRecord } from '../../../local/elbv2-proxy/control.ts';

/** How long a binding has to have wanted a target, and been able to see it, for it to be wrong to deregister it, in milliseconds; sooner it may not have claimed it. */
const STEADY_MS = 15_000;

/** What a binding wants in which target group. */
export interface Want {
  readonly arn: string;
  readonly targets: ReadonlySet<string>;
}

/** What each binding wants, from some moment on. */
interface Moment {
  readonly at: number;
  readonly wants: ReadonlyMap<string, Want>;
  /** The targets that Okra cannot see, because their cluster is away or Okra itself is. */
  readonly hidden: (target: string) => boolean;
}

const NONE = (): boolean => false;

/** What bindings want, over time. */
export class Wanted {
  readonly #moments: Moment[] = [];
  readonly #foreign: string;

  /** Someone else's target is in each target group. */
  constructor(foreign: string) {
    this.#foreign = foreign;
  }

  /** From now on this is wanted, by the name of the binding. Okra may know of it as soon as the API server does: to be told before. */
  note(wants: Moment['wants'], hidden: Moment['hidden'] = NONE): void {
    this.#moments.push({ at: Date.now(), wants, hidden });
  }

  /** What a target group should have now. */
  in(arn: string): readonly string[] {
    const wants = [...(this.#moments.at(-1)?.wants.values() ?? [])];
    return [...new Set(wants.flatMap((one) => (one.arn === arn ? [...one.targets] : [])))];
  }

  /** Targets that were deregistered although a binding had wanted them for long, or were someone else's. */
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
    const moments = this.#moments.filter(({ at }) => at <= call.endedAt);
    const bindings = [...(moments.at(-1)?.wants.keys() ?? [])];
    return bindings.some((one) => {
      const isWanted = ({ wants }: Moment): boolean => {
        const want = wants.get(one);
        return want?.arn === groupOf(call) && want.targets.has(target);
      };
      const since = moments.findLastIndex((moment) => !isWanted(moment)) + 1;
      return longestInSight(moments.slice(since), target, call.startedAt) >= STEADY_MS;
    });
  }
}

/** For how long at a stretch Okra could see a target, in milliseconds. */
function longestInSight(moments: readonly Moment[], target: string, until: number): number {
  let longest = 0;
  let from: number | undefined;
  for (const { at, hidden } of moments) {
    if (from !== undefined) longest = Math.max(longest, Math.min(at, until) - from);
    from = hidden(target) ? undefined : (from ?? at);
  }
  return from === undefined ? longest : Math.max(longest, until - from);
}

const groupOf = ({ parameters }: CallRecord): string => parameters['TargetGroupArn'] as string;

const targetsOf = ({ parameters }: CallRecord): readonly string[] =>
  (parameters['Targets'] as readonly { readonly Id: string; readonly Port: string }[]).map(
    ({ Id, Port }) => `${Id}:${Port}`,
  );
