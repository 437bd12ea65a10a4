import { setImmediate as afterOthers } from 'node:timers/promises';
import { type KindRef, COMBINED_STATUS } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { digest } from '../../clients/digest.ts';
import type { Stage } from '../../crds/staged-binding-policy.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { compileCondition, compileFilter } from '../../domain/staged/cel/expression.ts';
import { judge, type Evidence, type Judgement, type PresentObject } from '../../domain/staged/judge.ts';
import {
  ABOUT,
  type Binding,
  type CombinedStatus,
  type WorkloadObject,
} from '../../domain/staged/kubestellar.ts';
import type { StageView } from '../../domain/staged/observation.ts';
import { nameOf, objectsOf } from '../../domain/staged/workload.ts';

/** What a stage is looked at with. */
export interface Looking {
  readonly client: KubernetesClient;
  readonly stage: Stage;
  readonly policy: { readonly name: string; readonly uid: string };
  readonly binding: Binding;
}

type Live = PresentObject & { readonly generation: number | undefined };

// So many objects are read at most with one look; the others wait for their clusters to report.
const MOST_READ = 100;
const AT_ONCE = 20;

/** Looks how far a stage is that KubeStellar has bound: which objects fulfil it, by what their clusters report. */
export async function viewOfStage({ client, stage, policy, binding }: Looking): Promise<StageView> {
  const all = objectsOf(binding);
  const clusters = (binding.spec?.destinations ?? []).map(({ clusterId }) => clusterId).toSorted();
  const live = liveReader(client);
  const copied = all.filter(isCopiedBack);
  const versions = new Map<WorkloadObject, Live | undefined>();
  for (const object of copied.slice(0, MOST_READ)) versions.set(object, await live(object));
  const print = digest(
    canonical([
      policy.uid,
      clusters,
      [stage.filter ?? '', stage.condition ?? '', stage.cell ?? {}],
      all.map((object) => [nameOf(object), versions.get(object)?.generation ?? object.resourceVersion]),
    ]),
  );
  const of = { stage: stage.name, print };
  if (clusters.length === 0) {
    return { ...of, objects: 0, fulfilled: 0, first: nobody('No cluster matches the clusterSelectors.') };
  }
  const kept = keep(all, stage);
  if (kept.length === 0) {
    const reason = `The Binding lists ${all.length} objects, and the stage looks at none of them.`;
    return { ...of, objects: 0, fulfilled: 0, first: nobody(reason) };
  }
  // Nothing is asked of the reports; that the objects were sent is all there is to know.
  if (stage.condition === undefined) return { ...of, objects: kept.length, fulfilled: kept.length };
  const statuses = await statusesOf(client, policy.name);
  const condition = compileCondition(stage.condition);
  const test = condition.is === 'Compiled' ? condition.test : undefined;
  let fulfilled = 0;
  let first: StageView['first'];
  for (const [index, { object, problem }] of kept.entries()) {
    // Evaluating is work, and other activities of this process have to go on meanwhile.
    if (index % AT_ONCE === 0) await afterOthers();
    const evidence = { policy, clusters, statuses: statuses.get(nameOf(object)) ?? [] };
    const judgement =
      problem === undefined
        ? await judged(object, evidence, { test, live })
        : ({ is: 'Unfulfilled', reason: problem } as const);
    if (judgement.is === 'Fulfilled') fulfilled += 1;
    else first ??= { object: nameOf(object), reason: judgement.reason };
  }
  return { ...of, objects: kept.length, fulfilled, ...(first === undefined ? {} : { first }) };
}

const nobody = (reason: string) => ({ object: '', reason });

/** Whether KubeStellar writes the status that clusters report into the object, which changes its version with each report. */
const isCopiedBack = ({ wantSingletonReportedState, wantMultiWECReportedState }: WorkloadObject): boolean =>
  wantSingletonReportedState === true || wantMultiWECReportedState === true;

interface Kept {
  readonly object: WorkloadObject;
  /** Why the filter says nothing of it. */
  readonly problem?: string;
}

/** The objects that a stage looks at. */
function keep(objects: readonly WorkloadObject[], { filter }: Stage): readonly Kept[] {
  const compiled = filter === undefined ? undefined : compileFilter(filter);
  if (compiled?.is !== 'Compiled') return objects.map((object) => ({ object }));
  return objects.flatMap((object) => {
    const verdict = compiled.test(object);
    if (verdict.is === 'False') return [];
    if (verdict.is === 'True') return [{ object }];
    return [{ object, problem: `Expected the filter to be true or false, got: ${verdict.message}` }];
  });
}

async function judged(
  object: WorkloadObject,
  evidence: Evidence,
  { test, live }: { readonly test: Parameters<typeof judge>[2]; readonly live: LiveReader },
): Promise<Exclude<Judgement, { is: 'Doubtful' }>> {
  const judgement = judge(object, evidence, test);
  if (judgement.is !== 'Doubtful') return judgement;
  const now = await live(object);
  const again = now === undefined ? judgement : judge(object, { ...evidence, now }, test);
  return again.is === 'Doubtful' ? { is: 'Unfulfilled', reason: again.reason } : again;
}

/** The CombinedStatuses that bear the name of a BindingPolicy, by the object that they say they are about. */
async function statusesOf(
  client: KubernetesClient,
  policy: string,
): Promise<ReadonlyMap<string, readonly CombinedStatus[]>> {
  const found = await client.list<CombinedStatus>(COMBINED_STATUS, {
    labelSelector: `${ABOUT.policy}=${policy}`,
  });
  return Map.groupBy(found, ({ metadata: { labels = {} } }) =>
    nameOf({
      group: labels[ABOUT.group] ?? '',
      resource: labels[ABOUT.resource] ?? '',
      namespace: labels[ABOUT.namespace] ?? '',
      name: labels[ABOUT.name] ?? '',
    }),
  );
}

type LiveReader = (object: WorkloadObject) => Promise<Live | undefined>;

interface Stored {
  readonly metadata: {
    readonly uid?: string;
    readonly generation?: number;
    readonly managedFields?: readonly { readonly time?: string; readonly subresource?: string }[];
  };
}

/** Reads objects of the workload, each once and not too many of them; undefined when one may not, or cannot, be read. */
function liveReader(client: KubernetesClient): LiveReader {
  const known = new Map<string, Promise<Live | undefined>>();
  return (object) => {
    const name = nameOf(object);
    const reading =
      known.get(name) ?? (known.size < MOST_READ ? read(client, object) : Promise.resolve(undefined));
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
      .filter(({ subresource }) => subresource === undefined || subresource === '')
      .map(({ time }) => Date.parse(time ?? ''));
    const { uid, generation } = found?.metadata ?? {};
    if (uid === undefined || times.length === 0 || times.some(Number.isNaN)) return undefined;
    return { uid, generation, editedAt: Math.max(...times) };
  } catch (error) {
    if (error instanceof KubernetesError && error.status > 0 && error.status < 500) return undefined;
    throw error;
  }
}
