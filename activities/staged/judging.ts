import { setImmediate as afterOthers } from 'node:timers/promises';
import { createContext, Script } from 'node:vm';
import type { Verdict } from '../../domain/staged/cel/expression.ts';
import {
  splitByCluster,
  findColumnProblem,
  judgeObject,
  type Evidence,
  type Judgement,
  type PresentObject,
} from '../../domain/staged/judge.ts';
import { type CombinedStatus, type WorkloadObject, STATUS_MANAGER } from '../../domain/staged/kubestellar.ts';
import type { StageView } from '../../domain/staged/observation.ts';
import type { Strategy } from '../../domain/staged/progressive.ts';
import { formatObject, isCopiedBack } from '../../domain/staged/policy.ts';
import { digest } from '../../clients/digest.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { given } from '../../domain/model/fields.ts';

/** An object of the workload as it is now. */
interface Live extends PresentObject {
  /** Its generation, or a digest of its content: changes with an edit, not with a report. */
  readonly edition: number | string;
}

/** Reads an object of the workload; undefined when it may not, or cannot, be read. */
export type LiveReader = (object: WorkloadObject) => Promise<Live | undefined>;

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

/**
 * Reads objects of a workload, each once and not too many of them; undefined when one may not, or cannot, be read. Those that
 * reports are copied back to are read however many there are.
 */
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
export interface Kept {
  readonly object: WorkloadObject;
  /** Why the filter says nothing of it. */
  readonly problem?: string;
}

/** What objects are judged by. */
export interface Judging {
  readonly policy: Evidence['policy'];
  /** The clusters that the Binding lists. */
  readonly clusters: readonly string[];
  readonly statuses: ReadonlyMap<string, readonly CombinedStatus[]>;
  readonly test: Parameters<typeof judgeObject>[2];
  readonly live: LiveReader;
}

/** The clusters of a progressive stage that are judged each by itself. */
interface Few {
  readonly strategy: Strategy;
  readonly reached: readonly string[];
}

/** Judges objects by what all clusters report of them, or per cluster; returns the clusters in which all of them fulfil the stage. */
export async function judgeObjects(
  kept: readonly Kept[],
  judging: Judging,
  few: Few | undefined,
): Promise<Pick<StageView, 'fulfilled' | 'first'> & { readonly clusters: readonly string[] }> {
  const reached = few?.reached ?? [''];
  const left = new Set(reached);
  let fulfilled = 0;
  let first: StageView['first'];
  for (const one of kept) {
    const judgeIn = few === undefined ? wholeJudge(one, judging) : clusterJudge(one, judging, few.strategy);
    let isEverywhere = reached.length > 0;
    for (const cluster of reached) {
      // Other activities of this process go on meanwhile.
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

const wholeJudge =
  ({ object, problem }: Kept, judging: Judging) =>
  (): Promise<Certain> =>
    problem === undefined
      ? judged(object, judging.statuses.get(formatObject(object)) ?? [], judging)
      : Promise.resolve(unfulfilled(problem));

/** Judges an object in one cluster after the other. */
function clusterJudge(
  { object, problem }: Kept,
  judging: Judging,
  { column, label }: Strategy,
): (cluster: string) => Promise<Certain> {
  const statuses = judging.statuses.get(formatObject(object)) ?? [];
  const general = problem ?? findColumnProblem(object, statuses, column);
  const split = statuses.map((status) => splitByCluster(status, column));
  return async (cluster) => {
    if (!judging.clusters.includes(cluster)) {
      return unfulfilled(
        `The Binding does not list it. Its ManagedCluster must have the label ${label}: ${cluster}.`,
      );
    }
    if (general !== undefined) return unfulfilled(general);
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

/** How long one evaluation of an expression may take. */
const DEADLINE_MS = 250;

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
    if (isLate) return LATE;
    sandbox.run = () => test(input);
    try {
      return script.runInContext(context, { timeout: DEADLINE_MS }) as Verdict;
    } catch {
      isLate = true;
      return LATE;
    }
  };
}
