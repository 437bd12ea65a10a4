import { setTimeout as wait } from 'node:timers/promises';
import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import { SET } from './objects.ts';

/** The AWSTargetGroups that there are, by name. */
export type Groups = ReadonlyMap<string, AWSTargetGroup>;

/** Sees AWSTargetGroups come and change as they do. */
export interface GroupWatch extends AsyncDisposable {
  readonly groups: Groups;
  /** Waits until something holds of them; answers with the time, in milliseconds of `performance.now()`. */
  until(what: string, holds: (groups: Groups) => boolean): Promise<number>;
  /** Waits until nothing has changed for some seconds. */
  untilStill(seconds: number): Promise<void>;
}

const LONGEST_MILLISECONDS = 180_000;

/** Begins to watch; a watch tells when something came without asking again and again, which would be work for the machine that is measured. */
export function watchGroups(kubernetes: KubernetesClient, stopped: AbortSignal): GroupWatch {
  const groups = new Map<string, AWSTargetGroup>();
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  const signal = AbortSignal.any([stopped, stop.signal]);
  let changedAt = performance.now();
  const ended = runInformer<AWSTargetGroup>({
    kubernetes,
    kind: AWS_TARGET_GROUP,
    namespace: SET.namespace,
    log: createLog('silent'),
    signal,
    onSynced: () => undefined,
    onEvent: ({ type, object }) => {
      changedAt = performance.now();
      if (type === 'delete') groups.delete(object.metadata.name);
      else groups.set(object.metadata.name, object);
      for (const look of waiting) look();
    },
  });

  async function until(what: string, holds: (groups: Groups) => boolean): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const late = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MILLISECONDS)]);
    const look = (): void => void (holds(groups) && resolve(performance.now()));
    const giveUp = (): void => {
      const seconds = LONGEST_MILLISECONDS / 1000;
      reject(new Error(`Expected ${what} within ${seconds} s, got ${groups.size} AWSTargetGroups.`));
    };
    waiting.add(look);
    late.addEventListener('abort', giveUp, { once: true });
    look();
    try {
      return await promise;
    } finally {
      waiting.delete(look);
      late.removeEventListener('abort', giveUp);
    }
  }

  return {
    groups,
    until,
    async untilStill(seconds) {
      for (;;) {
        const left = changedAt + seconds * 1000 - performance.now();
        if (left <= 0) return;
        await wait(left, undefined, { signal });
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}
