import { freezesIn } from '../kubernetes/freezes.ts';
import {
  BINDING,
  BINDING_POLICY,
  CELL,
  STAGED_BINDING_POLICY,
  STATUS_COLLECTOR,
} from '../../clients/kubernetes/kinds.ts';
import { isForbidden, unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import {
  stagedBindingPolicy,
  type Stage,
  type StagedBindingPolicy,
  type StagedBindingPolicySpec,
} from '../../crds/staged-binding-policy.ts';
import { compileCondition, compileFilter } from '../../domain/staged/cel/expression.ts';
import { REPORTS, reportsSpec, type Binding } from '../../domain/staged/kubestellar.ts';
import type {
  ObservedStaged,
  PresentPolicy,
  StagedLook,
  ClusterSelection,
  StagePolicy,
  StageView,
} from '../../domain/staged/observation.ts';
import {
  namePolicy,
  SELECTION_LABEL,
  nameSelection,
  STAGE_LABEL,
  STAGED_UID_LABEL,
  type BindingPolicy,
  readNarrowing,
  buildPolicySpec,
  isAsDesired,
  buildSelectionSpec,
  listNamespaces,
  listClusters,
  findRefusal,
  explainUnbound,
  findCellProblem,
  explainOutOfDate,
  explainStranger,
  explainUnsent,
  explainUnselected,
} from '../../domain/staged/policy.ts';
import { readStrategy } from '../../domain/staged/progressive.ts';
import type { Cell } from '../../crds/cell.ts';
import { given, omit } from '../../domain/model/fields.ts';
import { findSpace, type Spaces } from './space.ts';
import { observeBoundStage } from './judging.ts';

const NOTHING = { policies: [], freezes: [] } as const;

/** Reads a StagedBindingPolicy and all that its next step depends on. */
export async function observeStaged(
  spaces: Spaces,
  { name, at, isTakingBack }: StagedLook,
): Promise<ObservedStaged> {
  const object = await spaces.kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name });
  if (object === undefined) return NOTHING;
  const seen = presentPolicy(object);
  const { spec } = seen;
  if (spec === undefined) return { ...NOTHING, object: seen };
  const withProblem = (reason: string, message: string): ObservedStaged => ({
    ...NOTHING,
    object: { ...seen, problems: [...seen.problems, { reason, message }] },
  });
  const space = await findSpace(spec, spaces);
  if (space.is === 'Problem') return withProblem('SpaceNotReached', space.problem);
  const found = await policiesIn(space.client, { name, uid: seen.uid });
  if (found === undefined)
    return withProblem(
      'KubeStellarNotFound',
      'The CRDs of KubeStellar are missing in the workload description space. Install KubeStellar there.',
    );
  const bindings = new Map(
    await Promise.all(
      (isTakingBack === true ? found : telling(found, spec, at)).map(
        async ({ metadata }) => [metadata.name, await space.client.get<Binding>(BINDING, metadata)] as const,
      ),
    ),
  );
  const isAt = ({ metadata }: BindingPolicy): boolean => metadata.labels?.[STAGE_LABEL] === at;
  const ofStages = found.filter(({ metadata }) => metadata.labels?.[STAGE_LABEL] !== undefined);
  const isCollected = await areReportsCollected(space.client);
  const policies = ofStages.map((policy): StagePolicy => {
    const binding = bindings.get(policy.metadata.name);
    const narrowing = readNarrowing(policy);
    const build = (stage: Stage) => buildPolicySpec(spec, stage, narrowing);
    const described = describePolicy(policy, spec, STAGE_LABEL, build);
    return {
      ...described,
      // The active one is not as asked while its reports are not collected.
      isAsAsked: described.isAsAsked && (isCollected || !isAt(policy)),
      isBound: explainUnbound(policy, binding) === undefined,
      ...given({ refusal: findRefusal(policy, binding), only: narrowing?.clusters }),
    };
  });
  const leaving = isTakingBack === true ? await leavingPolicy(space.client, found, { object, at }) : [];
  const asking = found.find(({ metadata }) => metadata.labels?.[SELECTION_LABEL] !== undefined);
  const answer = asking && bindings.get(asking.metadata.name);
  const isAnswered = asking !== undefined && explainUnbound(asking, answer) === undefined;
  const selection: ClusterSelection | undefined = asking && {
    ...describePolicy(asking, spec, SELECTION_LABEL, buildSelectionSpec),
    ...(isAnswered && answer !== undefined ? { clusters: listClusters(answer) } : {}),
  };
  const known = [...bindings.values()].filter((one) => one !== undefined);
  // Freezes of all namespaces, and of those that the workload is in.
  const freezes = await freezesIn(spaces.kubernetes, ['', ...listNamespaces(spec, known)]);
  const stage = spec.stages.find((one) => one.name === at);
  const of = { spec, policy: ofStages.find(isAt), selection, bindings, client: space.client };
  const view = stage && (await observeActiveStage({ ...of, stage }, spaces));
  return { object: seen, policies: [...policies, ...leaving], freezes, ...given({ selection, view }) };
}

/** Reports a BindingPolicy as being deleted until its Binding, and so the workload, is gone. */
async function leavingPolicy(
  client: KubernetesClient,
  found: readonly BindingPolicy[],
  { object, at }: { readonly object: StagedBindingPolicy; readonly at: string | undefined },
): Promise<ObservedStaged['policies']> {
  const stage = at ?? object.status?.activeStage;
  if (stage === undefined) return [];
  const name = namePolicy(object.metadata.name, stage);
  if (found.some(({ metadata }) => metadata.name === name)) return [];
  if ((await client.get(BINDING, { name })) === undefined) return [];
  // That of someone else's BindingPolicy stays.
  if ((await client.get(BINDING_POLICY, { name })) !== undefined) return [];
  return [{ stage, name, uid: '', isAsAsked: false, isDeleting: true, isBound: false }];
}

/** The BindingPolicies whose Bindings count: those of the active stage and of the one before it, and what asks for clusters. */
function telling(
  found: readonly BindingPolicy[],
  { stages }: StagedBindingPolicySpec,
  at: string | undefined,
): readonly BindingPolicy[] {
  const active = stages.findIndex(({ name }) => name === at);
  if (active < 0) return found;
  const near = new Set([undefined, at, stages[active - 1]?.name]);
  return found.filter(({ metadata }) => near.has(metadata.labels?.[STAGE_LABEL]));
}

/** Whether Okra's StatusCollector says what it should; who may not read it goes by what was applied. */
async function areReportsCollected(client: KubernetesClient): Promise<boolean> {
  try {
    const found = await client.get<{ readonly spec?: unknown }>(STATUS_COLLECTOR, { name: REPORTS });
    return isAsDesired(found?.spec, reportsSpec);
  } catch (error) {
    if (isForbidden(error)) return true;
    throw error;
  }
}

function presentPolicy(object: StagedBindingPolicy): PresentPolicy {
  const parsed = stagedBindingPolicy.parse(object);
  const { uid = '', generation = 0, deletionTimestamp } = object.metadata;
  const problems = parsed.ok
    ? parsed.value.stages.flatMap(expressionProblems)
    : parsed.problems.map((message) => ({ reason: 'InvalidSpec', message }));
  return {
    uid,
    generation,
    ...given({ spec: parsed.ok ? parsed.value : undefined }),
    problems,
    isDeleting: deletionTimestamp !== undefined,
    isElsewhere: parsed.ok ? parsed.value.space !== undefined : false,
    status: object.status ?? {},
  };
}

function expressionProblems({ name, filter, condition }: Stage): PresentPolicy['problems'] {
  const compiled = [
    ['filter', filter === undefined ? undefined : compileFilter(filter)],
    ['condition', condition === undefined ? undefined : compileCondition(condition)],
  ] as const;
  return compiled.flatMap(([field, one]) =>
    one?.is === 'Problem'
      ? [{ reason: 'InvalidExpression', message: `Invalid ${field} of stage ${name}: ${one.problem}` }]
      : [],
  );
}

/** The BindingPolicies of a StagedBindingPolicy; undefined while KubeStellar is not installed. */
async function policiesIn(
  client: KubernetesClient,
  { name, uid }: { readonly name: string; readonly uid: string },
): Promise<readonly BindingPolicy[] | undefined> {
  const labelSelector = `${STAGED_UID_LABEL}=${uid}`;
  // What someone has copied has the labels of the original, and another name.
  const isOwn = ({ metadata }: BindingPolicy): boolean =>
    metadata.name === nameSelection(name) ||
    metadata.name === namePolicy(name, metadata.labels?.[STAGE_LABEL] ?? '');
  const found = await unlessMissing(client.list<BindingPolicy>(BINDING_POLICY, { labelSelector }));
  return found?.filter(isOwn);
}

/** What there is to say of a BindingPolicy that Okra has made for a stage, which a label names. */
function describePolicy(
  { metadata, spec }: BindingPolicy,
  { stages }: StagedBindingPolicySpec,
  label: string,
  build: (stage: Stage) => object,
) {
  const { name, uid = '', deletionTimestamp, labels = {} } = metadata;
  const stage = stages.find((one) => one.name === labels[label]);
  return {
    stage: labels[label] ?? '',
    name,
    uid,
    isAsAsked: stage !== undefined && isAsDesired(spec, build(stage)),
    isDeleting: deletionTimestamp !== undefined,
  };
}

/** Looks how far the stage is that a StagedBindingPolicy is at. */
async function observeActiveStage(
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
  const { cell } = stage;
  const said = given({
    cell: cell && findCellProblem(cell, await kubernetes.get<Cell>(CELL, omit(cell, 'version'))),
  });
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
  // What was begun with and is no longer selected says nothing of the stage.
  const reached = (narrowing?.clusters ?? all).filter((one) => all.includes(one));
  const few = strategy && { strategy, all, reached };
  const looking = { client, stage, policy: { name, uid }, binding, ...given({ few }) };
  return { ...(await observeBoundStage(looking)), ...said };
}
