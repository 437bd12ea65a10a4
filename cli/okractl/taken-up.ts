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
  readonly looks: number;
  readonly everyMilliseconds: number;
  readonly sleep: Sleep;
}

const usual: Patience = { looks: 60, everyMilliseconds: 250, sleep: sleepByClock };

/** Sends a retry, and waits until the status says no more what it lifts, so that nobody takes that for the end of the retry; false when it is not taken up in time. */
export async function untilTakenUp(
  { kubernetes, signal }: { readonly kubernetes: Reader; readonly signal: AbortSignal },
  target: Target,
  send: () => Promise<void>,
  { looks, everyMilliseconds, sleep }: Patience = usual,
): Promise<boolean> {
  // Who may not read the object can be told nothing of it.
  const failed = () => failedIn(kubernetes, target).catch((): readonly string[] => []);
  const before = new Set(await failed());
  await send();
  for (let look = 1; before.size > 0 && !signal.aborted; look += 1) {
    if (!(await failed()).some((one) => before.has(one))) return true;
    if (look === looks) return false;
    await sleep(everyMilliseconds, signal);
  }
  return true;
}
