import { cpuSecondsOf } from '../memory.ts';
import type { RunningOkrad } from '../okrad.ts';
import { requestsAbout } from '../requests.ts';
import type { Stack } from '../../stack.ts';

/** Whose processor time is counted. */
export type Part = 'okrad' | 'Temporal' | 'kube-apiserver';

/** What was taken up to a moment. */
export interface Cost {
  readonly cpuSeconds: Readonly<Record<Part, number>>;
  /** Requests to the API server, by verb and resource. */
  readonly requests: ReadonlyMap<string, number>;
}

// What a rollout asks the API server about; all else continues without it.
const resources: ReadonlySet<string> = new Set([
  'cells',
  'awsapplicationloadbalancerconfigs',
  'awsapplicationloadbalancertargetdeployments',
  'awstargetgroups',
  'accesspolicies',
  'freezes',
  'events',
  'configmaps',
]);

/** Reads what okrad and its servers have taken so far. */
export async function costSoFar(stack: Stack, { okrad }: RunningOkrad): Promise<Cost> {
  const of = async (...pids: readonly (number | undefined)[]): Promise<number> => {
    const all = await Promise.all(pids.map(cpuSecondsOf));
    return all.reduce<number>((sum, one) => sum + (one ?? Number.NaN), 0);
  };
  const [own, temporal, api, requests] = await Promise.all([
    of(okrad.watchers.pid(), okrad.worker.pid()),
    of(stack.pid('temporal')),
    of(stack.pid('kube-apiserver')),
    requestsAbout(stack, resources),
  ]);
  return { cpuSeconds: { okrad: own, Temporal: temporal, 'kube-apiserver': api }, requests };
}

/** What was taken between two moments. */
export function costBetween(before: Cost, after: Cost): Cost {
  const taken = (part: Part): number => after.cpuSeconds[part] - before.cpuSeconds[part];
  const requests = [...after.requests]
    .map(([kind, count]) => [kind, count - (before.requests.get(kind) ?? 0)] as const)
    .filter(([, count]) => count > 0);
  return {
    cpuSeconds: {
      okrad: taken('okrad'),
      Temporal: taken('Temporal'),
      'kube-apiserver': taken('kube-apiserver'),
    },
    requests: new Map(requests),
  };
}
