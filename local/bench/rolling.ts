import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import { proxyControl } from '../elbv2-proxy/control.ts';
import { waitFor } from '../wait.ts';
import { BENCH_NAMESPACE as namespace, benchCells, everyWeight, groupNameOf } from './rollouts/cells.ts';
import type { Ground } from './world.ts';

const NEWER = '2.0.0';

/** Cells whose rollouts take a weight after another without a pause. */
export interface RollingCells extends AsyncDisposable {
  /** Makes a Cell that serves its first version. */
  install(name: string): Promise<void>;
  /** Begins the rollout of the second version. */
  roll(name: string): Promise<void>;
  /** Waits for a write of weights that was begun after a moment; answers with that time, in milliseconds since 1970. */
  writtenAfter(name: string, since: number): Promise<number>;
  /** Ends the rollout. */
  remove(name: string): Promise<void>;
}

/** Prepares for Cells. */
export function rollingCells(ground: Ground): RollingCells {
  const { stack, management, signal } = ground;
  const cells = benchCells(ground);
  const calls = proxyControl(stack.proxyControl);
  /** The ARNs of the newer target groups, by Cell. */
  const canaries = new Map<string, string>();
  return {
    install: (name) => cells.install([{ name, steps: everyWeight }]),
    roll: async (name) => void canaries.set(name, await cells.bring(name, NEWER)),
    writtenAfter: (name, since) =>
      waitFor(
        { what: `a weight of ${name}`, timeoutMillis: 60_000, intervalMillis: 25, signal },
        async () => {
          const about = await calls.calls({ targetGroup: canaries.get(name) ?? '', action: 'ModifyRule' });
          return about.find(({ applied, startedAt }) => applied && startedAt > since)?.endedAt;
        },
      ),
    remove: async (name) => {
      await management.delete(AWS_TARGET_GROUP, { namespace, name: groupNameOf(name, NEWER) });
      await management.delete(CELL, { namespace, name });
    },
    [Symbol.asyncDispose]: () => cells[Symbol.asyncDispose](),
  };
}
