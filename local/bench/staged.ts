import { CONFIG_MAP, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import { installKubeStellar } from '../kubestellar/install.ts';
import { forEach, upTo } from './each.ts';
import { median, type Figure } from './figures.ts';
import { cpuSecondsOf, memoryOf } from './memory.ts';
import { playKubeStellar } from './kubestellar.ts';
import { openOkrad, type RunningOkrad } from './okrad.ts';
import { requestsTo } from './requests.ts';
import type { Ground } from './world.ts';

const LONGEST_MS = 1_200_000;

const web = { kind: CONFIG_MAP, namespace: 'default', name: 'staged' };
const policyNamed = (index: number): string => `staged-${index}`;

/** Measures how many StagedBindingPolicies go through all their stages at once, from the first to the last that is completed. */
export async function measureStaged(ground: Ground): Promise<readonly Figure[]> {
  const { size, stack, management, say, signal } = ground;
  const { policies, stages } = size;
  await installKubeStellar(management);
  await management.apply(workload);
  await using running = await openOkrad({ stack, say, signal });
  await using watching = watchPolicies(management, signal);
  await using player = playKubeStellar(management, web, signal);
  say(`Applying ${policies} StagedBindingPolicies of ${stages} stages …`);
  const requests = await requestsTo(stack);
  const before = await cpuOf(running);
  const began = performance.now();
  await forEach(upTo(policies), async (index) => {
    await management.create(stagedPolicy(policyNamed(index), stages));
  });
  await watching.untilCompleted(policies);
  const seconds = (performance.now() - began) / 1000;
  const after = await cpuOf(running);
  const applied = ['POST stagedbindingpolicies', policies] as const;
  const own = await requests.since(new Map([...player.requests, applied]));
  for (const [what, count] of own.byKind) say(`  ${what}: ${(count / policies).toFixed(1)} for each`);
  return [
    {
      what: `${policies} StagedBindingPolicies of ${stages} stages, until all are completed`,
      value: seconds,
      unit: 's',
    },
    { what: 'processor time of the worker', value: after.worker - before.worker, unit: 's' },
    { what: 'processor time of the watchers', value: after.watchers - before.watchers, unit: 's' },
    ...(await memoryFigures(running)),
    { what: 'history of one, median', value: median(await historiesOf(running, policies)), unit: 'events' },
    { what: 'requests of okrad to the API server for one', value: own.all / policies, unit: 'requests' },
  ];
}

async function cpuOf({
  okrad,
}: RunningOkrad): Promise<{ readonly worker: number; readonly watchers: number }> {
  const [worker = Number.NaN, watchers = Number.NaN] = await Promise.all([
    cpuSecondsOf(okrad.worker.pid()),
    cpuSecondsOf(okrad.watchers.pid()),
  ]);
  return { worker, watchers };
}

async function memoryFigures({ okrad }: RunningOkrad): Promise<readonly Figure[]> {
  const [worker, watchers] = await Promise.all([
    memoryOf(okrad.worker.pid()),
    memoryOf(okrad.watchers.pid()),
  ]);
  return [
    { what: 'the most memory that the worker ever had', value: worker?.most, unit: 'MB' },
    { what: 'the most memory that the watchers ever had', value: watchers?.most, unit: 'MB' },
  ];
}

/** How many events the histories of some of the policies have. */
function historiesOf({ temporal }: RunningOkrad, policies: number): Promise<readonly number[]> {
  return Promise.all(
    upTo(Math.min(policies, 50)).map(async (index) => {
      const id = objectWorkflowId('StagedBindingPolicy', { namespace: '', name: policyNamed(index) });
      return (await temporal.workflow.getHandle(id).describe()).historyLength;
    }),
  );
}

const workload = {
  apiVersion: CONFIG_MAP.apiVersion,
  kind: CONFIG_MAP.kind,
  metadata: { name: web.name, namespace: web.namespace },
};

function stagedPolicy(name: string, stages: number) {
  const { apiVersion, kind } = STAGED_BINDING_POLICY;
  const downsync = [{ objectNames: [web.name], statusCollectors: ['deployments-aggregator'] }];
  return {
    apiVersion,
    kind,
    metadata: { name },
    spec: {
      downsync,
      stages: upTo(stages).map((index) => ({
        name: `s${index}`,
        clusterSelectors: [{ matchLabels: { env: `s${index}` } }],
        condition:
          "obj.results.exists(r, r.rows.exists(row, row.columns.exists(col, col.type == 'Number' && col.float == '1')))",
      })),
    },
  };
}

interface PolicyWatch extends AsyncDisposable {
  untilCompleted(count: number): Promise<void>;
}

function watchPolicies(kubernetes: KubernetesClient, stopped: AbortSignal): PolicyWatch {
  const stop = new AbortController();
  const completed = new Set<string>();
  const looks = new Set<() => void>();
  const signal = AbortSignal.any([stopped, stop.signal]);
  const ended = runInformer<StagedBindingPolicy & { metadata: { resourceVersion: string } }>({
    kubernetes,
    kind: STAGED_BINDING_POLICY,
    log: createLog('silent'),
    signal,
    onSynced: () => undefined,
    onEvent: ({ object }) => {
      if (object.status?.phase === 'Completed') completed.add(object.metadata.name);
      for (const look of looks) look();
    },
  });
  return {
    untilCompleted: async (count) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
      const look = (): void => void (completed.size >= count && resolve());
      late.addEventListener(
        'abort',
        () => reject(new Error(`Expected ${count} to be completed, got ${completed.size}.`)),
        { once: true },
      );
      looks.add(look);
      look();
      await promise;
      looks.delete(look);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}
