import { sleep as sleepByClock, type Sleep } from '../../clients/backoff.ts';
import { CELL, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { Target } from './target.ts';

type Reader = Pick<KubernetesClient, 'get'>;

/** What a retry lifts, each in a word: what has failed again since is another. */
async function failedIn(kubernetes: Reader, { kind, key }: Target): Promise<readonly string[]> {
  if (kind === 'StagedBindingPolicy') {
    const { held } = (await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, key))?.status ?? {};
    return held === undefined ? [] : [`${held.stage} ${held.message}`];
  }
  const {
    rollout,
    blockedVersions = [],
    applications = [],
  } = (await kubernetes.get<Cell>(CELL, key))?.status ?? {};
  // What is under way is not taken for settled.
  if (rollout !== undefined) return [];
  return [
    ...blockedVersions.map(({ version, time }) => `${version} ${time}`),
    ...applications.flatMap(({ name, failed }) =>
      failed === undefined || failed.retried === true ? [] : [`${name} ${failed.time}`],
    ),
  ];
}

/** For how long it is waited, how often it is looked, and by which clock. */
export interface Patience {
  readonly forMilliseconds: number;
  readonly everyMilliseconds: number;
  readonly sleep: Sleep;
  readonly now: () => number;
}

const usual: Patience = {
  forMilliseconds: 15_000,
  everyMilliseconds: 250,
  sleep: sleepByClock,
  now: () => performance.now(),
};

/** Sends a retry, and waits until the status says no more what it lifts, so that nobody takes that for the end of the retry; false when it is not taken up in time. */
export async function untilTakenUp(
  { kubernetes, signal }: { readonly kubernetes: Reader; readonly signal: AbortSignal },
  target: Target,
  send: () => Promise<void>,
  { forMilliseconds, everyMilliseconds, sleep, now }: Patience = usual,
): Promise<boolean> {
  const failed = () => failedIn(kubernetes, target);
  // Who may not read the object can be told nothing of it.
  const before = new Set(await failed().catch(() => []));
  await send();
  const end = now() + forMilliseconds;
  while (before.size > 0 && !signal.aborted) {
    // What cannot be read now does not say that anything was lifted.
    const still = await failed().catch(() => undefined);
    if (still?.some((one) => before.has(one)) === false) return true;
    if (now() >= end) return false;
    await sleep(everyMilliseconds, signal);
  }
  return true;
}
