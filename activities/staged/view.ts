import { COMBINED_STATUS, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { digest } from '../../clients/digest.ts';
import { inBatches } from '../../clients/concurrency.ts';
import type { Stage, StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { given } from '../../domain/model/fields.ts';
import { compileCondition, compileFilter } from '../../domain/staged/cel/expression.ts';
import {
  ABOUT,
  type Binding,
  type CombinedStatus,
  type WorkloadObject,
} from '../../domain/staged/kubestellar.ts';
import type { StageView, ClusterSelection } from '../../domain/staged/observation.ts';
import {
  type Narrowing,
  readNarrowing,
  type BindingPolicy,
  listClusters,
  isCopiedBack,
  formatObject,
  listObjects,
  findCellProblem,
  explainOutOfDate,
  explainStranger,
  explainUnsent,
  explainUnselected,
} from '../../domain/staged/policy.ts';
import { type Strategy, readStrategy } from '../../domain/staged/progressive.ts';
import {
  judgeObjects,
  withDeadline,
  type Judging,
  type Kept,
  createLiveReader,
  type LiveReader,
} from './judging.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Spaces } from './space.ts';

/** What a stage is looked at with. */
export interface Looking {
  readonly client: KubernetesClient;
  readonly stage: Stage;
  readonly policy: { readonly name: string; readonly uid: string };
  readonly binding: Binding;
  /** How a progressive stage reaches its clusters, which it selects and which it reaches. */
  readonly few?: {
    readonly strategy: Strategy;
    readonly all: readonly string[];
    readonly narrowing: Narrowing | undefined;
  };
}

const AT_ONCE = 20;

/** Observes which objects of a bound stage fulfil it, by what their clusters report. */
async function observeBoundStage(looking: Looking): Promise<StageView> {
  const { stage, binding, few } = looking;
  const all = listObjects(binding);
  const live = createLiveReader(looking.client);
  const print = await printOf(looking, all, live);
  // What was begun with and is no longer selected says nothing of the stage.
  const reached = (few?.narrowing?.clusters ?? few?.all ?? []).filter((name) => few?.all.includes(name));
  const clusters = few === undefined ? {} : { clusters: { all: few.all, reached, fulfilled: [] } };
  const of = { stage: stage.name, print, ...clusters };
  if ((few?.all ?? listClusters(binding)).length === 0) {
    return { ...of, objects: 0, fulfilled: 0, first: nobody('No cluster matches the clusterSelectors.') };
  }
  const kept = keep(all, stage);
  if (kept.length === 0) {
    const reason = `The Binding lists ${all.length} objects, but the stage selects none of them.`;
    return { ...of, objects: 0, fulfilled: 0, first: nobody(reason) };
  }
  // Nothing is asked of the reports; that the objects were sent is all there is to know.
  if (stage.condition === undefined) return { ...of, objects: kept.length, fulfilled: kept.length };
  const judging = await judgingOf(looking, stage.condition, live);
  const { clusters: fulfilled, ...said } = await judgeObjects(kept, judging, few && { ...few, reached });
  const counted = few === undefined ? {} : { clusters: { all: few.all, reached, fulfilled } };
  return { ...of, objects: kept.length, ...said, ...counted };
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

async function judgingOf(
  { client, policy, binding }: Looking,
  expression: string,
  live: LiveReader,
): Promise<Judging> {
  const condition = compileCondition(expression);
  return {
    policy,
    clusters: listClusters(binding),
    statuses: await statusesOf(client, policy.name),
    test: condition.is === 'Compiled' ? withDeadline(condition.test) : undefined,
    live,
  };
}

const nobody = (reason: string) => ({ object: '', reason });

/** The objects that a stage looks at. */
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

/** Lists the CombinedStatuses of a BindingPolicy, by the object that they are about. */
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

/** Looks how far the stage is that a StagedBindingPolicy is at. */
export async function observeActiveStage(
  of: {
    readonly spec: StagedBindingPolicySpec;
    readonly stage: Stage;
    readonly policy: BindingPolicy | undefined;
    readonly selection: ClusterSelection | undefined;
    readonly bindings: ReadonlyMap<string, Binding | undefined>;
    readonly client: KubernetesClient;
  },
  { kubernetes }: Spaces,
): Promise<StageView> {
  const { spec, stage, policy, selection, bindings, client } = of;
  const said = given({ cell: stage.cell && (await cellOf(kubernetes, stage.cell)) });
  const unbound = (reason: string): StageView => ({
    stage: stage.name,
    unbound: reason,
    objects: 0,
    fulfilled: 0,
    print: '',
    ...said,
  });
  const strategy = readStrategy(spec, stage);
  const narrowing = policy === undefined ? undefined : readNarrowing(policy);
  if (strategy !== undefined && (policy === undefined || narrowing !== undefined)) {
    const unselected = explainUnselected(stage.name, selection);
    if (unselected !== undefined) return unbound(unselected);
  }
  if (policy === undefined) return unbound('Its BindingPolicy does not exist yet.');
  const { name, uid = '' } = policy.metadata;
  const binding = bindings.get(name);
  const outOfDate = explainOutOfDate(policy, binding);
  if (outOfDate !== undefined || binding === undefined)
    return { ...unbound(outOfDate ?? 'It has no Binding.'), isOutOfDate: true };
  const unsent = explainUnsent(binding);
  if (unsent !== undefined) return unbound(unsent);
  const stranger = explainStranger(binding, narrowing);
  if (stranger !== undefined) return unbound(stranger);
  const all = narrowing === undefined ? listClusters(binding) : (selection?.clusters ?? []);
  const few = strategy && { strategy, all, narrowing };
  const looking = { client, stage, policy: { name, uid }, binding, ...given({ few }) };
  return { ...(await observeBoundStage(looking)), ...said };
}

/** Why a Cell keeps a stage from being fulfilled; undefined when it does not. */
async function cellOf(
  kubernetes: KubernetesClient,
  wanted: NonNullable<Stage['cell']>,
): Promise<string | undefined> {
  const { namespace, name } = wanted;
  return findCellProblem(wanted, await kubernetes.get<Cell>(CELL, { namespace, name }));
}
