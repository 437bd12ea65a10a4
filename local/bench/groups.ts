import { setTimeout as wait } from 'node:timers/promises';
import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import { SET } from './objects.ts';
import { watchObjects } from '../watched.ts';

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

const LONGEST_SECONDS = 180;

/** Begins to watch AWSTargetGroups. */
export function watchGroups(kubernetes: KubernetesClient, signal: AbortSignal): GroupWatch {
  const watched = watchObjects<AWSTargetGroup>({
    kubernetes,
    kind: AWS_TARGET_GROUP,
    namespace: SET.namespace,
    signal,
    longestMilliseconds: LONGEST_SECONDS * 1000,
    clock: () => performance.now(),
  });
  const { objects: groups } = watched;
  return {
    groups,
    until: (what, holds) =>
      watched.until(
        holds,
        () => `Expected ${what} within ${LONGEST_SECONDS} s, got ${groups.size} AWSTargetGroups.`,
      ),
    async untilStill(seconds) {
      for (;;) {
        const left = watched.changedAt() + seconds * 1000 - performance.now();
        if (left <= 0) return;
        await wait(left, undefined, { signal });
      }
    },
    [Symbol.asyncDispose]: () => watched[Symbol.asyncDispose](),
  };
}
