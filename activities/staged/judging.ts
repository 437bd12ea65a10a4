import { setImmediate as afterOthers } from 'node:timers/promises';
import { createContext, Script } from 'node:vm';
import { inBatches } from '../../clients/concurrency.ts';
import { digest } from '../../clients/digest.ts';
import { COMBINED_STATUS, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Stage } from '../../crds/staged-binding-policy.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { given } from '../../domain/model/fields.ts';
import { compileCondition, compileFilter, type Verdict } from '../../domain/staged/cel/expression.ts';
import {
  splitByCluster,
  findColumnProblem,
  judgeObject,
  type Evidence,
  type Judgement,
  type PresentObject,
} from '../../domain/staged/judge.ts';
import {
  ABOUT,
  STATUS_MANAGER,
  type Binding,
  type CombinedStatus,
  type WorkloadObject,
} from '../../domain/staged/kubestellar.ts';
import type { StageView } from '../../domain/staged/observation.ts';
import { formatObject, isCopiedBack, listClusters, listObjects } from '../../domain/staged/policy.ts';
import type { Strategy } from '../../domain/staged/progressive.ts';

/** What a bound stage is looked at with. */
export interface Looking {
  readonly client: KubernetesClient;
  readonly stage: Stage;
  readonly policy: Judging['policy'];
  readonly binding: Binding;
  readonly few?: Few;
}

const AT_ONCE = 20;

/** Observes which objects of a bound stage fulfil it, by what their clusters report. */
export async function observeBoundStage(looking: Looking): Promise<StageView> {
  const { client, stage, policy, binding, few } = looking;
  const all = listObjects(binding);
  const clusters = listClusters(binding);
  const live = createLiveReader(client);
  const of = { stage: stage.name, print: await printOf(looking, all, live) };
  const counted = (fulfilled: readonly string[]) =>
    few === undefined ? {} : { clusters: { all: few.all, reached: few.reached, fulfilled } };
  const nobody = (reason: string): StageView => ({
    ...of,
    objects: 0,
    fulfilled: 0,
    first: { object: '', reason },
    ...counted([]),
  });
  if ((few?.all ?? clusters).length === 0) return nobody('No cluster matches the clusterSelectors.');
  const kept = keep(all, stage);
  const objects = kept.length;
  if (objects === 0)
    return nobody(`The Binding lists ${all.length} objects, but the stage selects none of them.`);
  // Nothing is asked of the reports; that the objects were sent is all there is to know.
  if (stage.condition === undefined) return { ...of, objects, fulfilled: objects, ...counted([]) };
  const condition = compileCondition(stage.condition);
  const test = condition.is === 'Compiled' ? withDeadline(condition.test) : undefined;
  const judging = { policy, clusters, statuses: await statusesOf(client, policy.name), test, live };
  const { clusters: fulfilled, ...said } = await judgeObjects(kept, judging, few);
  return { ...of, objects, ...said, ...counted(fulfilled) };
}

/** A digest of what a stage is about: with another, it begins again. */
async function printOf(
  { stage, policy, binding, few }: Looking,
  all: readonly WorkloadObject[],
  live: LiveReader,
): Promise<string> {
  const versions = await inBatches(all, AT_ONCE, async (object) => {
    const now = isCopiedBack(object) ? await live(object) : undefined;
    return now?.edition ?? object.resourceVersion;
  });
  return digest(
    canonical([
      policy.uid,
      // Where clusters are counted one by one, another one is no reason to begin with all of them again.
      few === undefined ? listClusters(binding) : [],
      [stage.filter ?? '', stage.condition ?? '', stage.cell ?? {}],
      all.map((object, index) => [formatObject(object), versions[index]]),
    ]),
  );
}

function keep(objects: readonly WorkloadObject[], { filter }: Stage): readonly Kept[] {
  const compiled = filter === undefined ? undefined : compileFilter(filter);
  if (compiled?.is !== 'Compiled') return objects.map((object) => ({ object }));
  const test = withDeadline(compiled.test);
  return objects.flatMap((object) => {
    const verdict = test(object);
    if (verdict.is === 'False') return [];
    if (verdict.is === 'True') return [{ object }];
    return [{ object, problem: `Cannot evaluate the filter: ${verdict.message}` }];
  });
}

async function statusesOf(
  client: KubernetesClient,
  policy: string,
): Promise<ReadonlyMap<string, readonly CombinedStatus[]>> {
  const found = await client.list<CombinedStatus>(COMBINED_STATUS, {
    labelSelector: `${ABOUT.policy}=${policy}`,
  });
  return Map.groupBy(found, ({ metadata: { labels = {} } }) =>
    formatObject({
      group: labels[ABOUT.group] ?? '',
      resource: labels[ABOUT.resource] ?? '',
      namespace: labels[ABOUT.namespace] ?? '',
      name: labels[ABOUT.name] ?? '',
    }),
  );
}

interface Live extends PresentObject {
  /** Its generation, or a digest of its content: changes with an edit, not with a report. */
  readonly edition: number | string;
}

/** Reads an object of the workload; undefined when it may not, or cannot, be read. */
type LiveReader = (object: WorkloadObject) => Promise<Live | undefined>;

interface Stored {
  readonly metadata: {
    readonly uid?: string;
    readonly generation?: number;
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly time?: string;
      readonly subresource?: string;
    }[];
  };
}

// So many objects are read at most with one look; the others wait for their clusters to report.
const MOST_READ = 100;

/** Reads each object of a workload once, and not too many of them, except those that reports are copied back to. */
export function createLiveReader(client: KubernetesClient): LiveReader {
  const known = new Map<string, Promise<Live | undefined>>();
  return (object) => {
    const name = formatObject(object);
    const isRead = known.size < MOST_READ || isCopiedBack(object);
    const reading = known.get(name) ?? (isRead ? read(client, object) : Promise.resolve(undefined));
    known.set(name, reading);
    return reading;
  };
}

async function read(client: KubernetesClient, object: WorkloadObject): Promise<Live | undefined> {
  const { group, version, resource, namespace, name } = object;
  const kind: KindRef = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: resource,
    plural: resource,
    namespaced: namespace !== undefined,
  };
  try {
    const found = await client.get<Stored>(kind, { namespace, name });
    const times = (found?.metadata.managedFields ?? [])
      .filter(({ subresource = '', manager }) => subresource === '' && manager !== STATUS_MANAGER)
      .map(({ time }) => Date.parse(time ?? ''));
    const { uid, generation = editionOf(found) } = found?.metadata ?? {};
    if (uid === undefined || times.length === 0 || times.some(Number.isNaN)) return undefined;
    return { uid, edition: generation, editedAt: Math.max(...times) };
  } catch (error) {
    if (error instanceof KubernetesError && error.status > 0 && error.status < 500) return undefined;
    throw error;
  }
}

const editionOf = (found: Stored | undefined): string =>
  digest(canonical({ ...found, metadata: undefined, status: undefined }));

/** An object that a stage looks at. */
interface Kept {
  readonly object: WorkloadObject;
  /** Why the filter says nothing of it. */
  readonly problem?: string;
}

/** What objects are judged by. */
interface Judging extends Pick<Evidence, 'policy' | 'clusters'> {
  readonly statuses: ReadonlyMap<string, readonly CombinedStatus[]>;
  readonly test: Parameters<typeof judgeObject>[2];
  readonly live: LiveReader;
}

/** How a progressive stage reaches its clusters, which it selects, and those of them that it reaches, each judged by itself. */
export interface Few {
  readonly strategy: Strategy;
  readonly all: readonly string[];
  readonly reached: readonly string[];
}

/** Judges objects by what all clusters report of them, or per cluster; returns the clusters in which all of them fulfil the stage. */
async function judgeObjects(
  kept: readonly Kept[],
  judging: Judging,
  few: Few | undefined,
): Promise<Pick<StageView, 'fulfilled' | 'first'> & { readonly clusters: readonly string[] }> {
  const reached = few?.reached ?? [''];
  const left = new Set(reached);
  let fulfilled = 0;
  let first: StageView['first'];
  for (const one of kept) {
    const judgeIn = judgeOf(one, judging, few?.strategy);
    let isEverywhere = reached.length > 0;
    for (const cluster of reached) {
      // Other activities of this process continue meanwhile.
      await afterOthers();
      const judgement = await judgeIn(cluster);
      if (judgement.is === 'Fulfilled') continue;
      isEverywhere = false;
      left.delete(cluster);
      const reason = few === undefined ? judgement.reason : `Cluster ${cluster}: ${judgement.reason}`;
      first ??= { object: formatObject(one.object), reason };
    }
    if (isEverywhere) fulfilled += 1;
  }
  return { fulfilled, ...given({ first }), clusters: [...left] };
}

/** Judges an object in all clusters at once, or in one cluster after the other. */
function judgeOf(
  { object, problem }: Kept,
  judging: Judging,
  strategy: Strategy | undefined,
): (cluster: string) => Promise<Certain> {
  const statuses = judging.statuses.get(formatObject(object)) ?? [];
  const general = problem ?? (strategy && findColumnProblem(object, statuses, strategy.column));
  const split = strategy && statuses.map((status) => splitByCluster(status, strategy.column));
  return async (cluster) => {
    if (strategy !== undefined && !judging.clusters.includes(cluster)) {
      return unfulfilled(
        `The Binding does not list it. Its ManagedCluster must have the label ${strategy.label}: ${cluster}.`,
      );
    }
    if (general !== undefined) return unfulfilled(general);
    if (split === undefined) return await judged(object, statuses, judging);
    const own = split.map((of) => of(cluster));
    return await judged(object, own, { ...judging, clusters: [cluster] });
  };
}

type Certain = Exclude<Judgement, { is: 'Doubtful' }>;

const unfulfilled = (reason: string): Certain => ({ is: 'Unfulfilled', reason });

async function judged(
  object: WorkloadObject,
  statuses: readonly CombinedStatus[],
  { policy, clusters, test, live }: Judging,
): Promise<Certain> {
  const evidence = { policy, clusters, statuses };
  const judgement = judgeObject(object, evidence, test);
  if (judgement.is !== 'Doubtful') return judgement;
  const now = await live(object);
  const again = now === undefined ? judgement : judgeObject(object, { ...evidence, now }, test);
  return again.is === 'Doubtful' ? { is: 'Unfulfilled', reason: again.reason } : again;
}

const DEADLINE_MS = 250;

// The deadline is by the clock: on a busy machine it passes for an expression that has hardly run, which is evaluated again.
const LEAST_PROCESSOR_MS = DEADLINE_MS / 2;

// V8 interrupts whatever a script calls, in each loop and in regular expressions; the expression sees nothing of the context.
const script = new Script('run()');
const sandbox: { run: () => Verdict } = { run: () => LATE };
const context = createContext(sandbox);

const LATE: Verdict = {
  is: 'Error',
  message: `The expression did not finish within ${DEADLINE_MS} ms. Nest fewer loops, or report fewer rows.`,
};

/** Evaluates an expression within a deadline; once it was missed, nothing more is evaluated. */
export function withDeadline<Input>(test: (input: Input) => Verdict): (input: Input) => Verdict {
  let isLate = false;
  return (input) => {
    sandbox.run = () => test(input);
    const begun = process.threadCpuUsage();
    while (!isLate) {
      try {
        return script.runInContext(context, { timeout: DEADLINE_MS }) as Verdict;
      } catch {
        const { user, system } = process.threadCpuUsage(begun);
        isLate = (user + system) / 1000 >= LEAST_PROCESSOR_MS;
      }
    }
    return LATE;
  };
}
