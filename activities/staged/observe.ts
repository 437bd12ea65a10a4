import { freezesIn } from '../kubernetes/freezes.ts';
import {
  BINDING,
  BINDING_POLICY,
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
} from '../../domain/staged/policy.ts';
import { given } from '../../domain/model/fields.ts';
import { findSpace, type Spaces } from './space.ts';
import { observeActiveStage } from './view.ts';

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
  const space = await findSpace(spec, spaces);
  if (space.is === 'Problem')
    return { ...NOTHING, object: withProblem(seen, 'SpaceNotReached', space.problem) };
  const found = await policiesIn(space.client, { name, uid: seen.uid });
  if (found === undefined) {
    const message =
      'The CRDs of KubeStellar are missing in the workload description space. Install KubeStellar there.';
    return { ...NOTHING, object: withProblem(seen, 'KubeStellarNotFound', message) };
  }
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
  const policies = ofStages.map((policy) => {
    const of = { binding: bindings.get(policy.metadata.name), isCollected: isCollected || !isAt(policy) };
    return describePolicy(policy, spec, of);
  });
  const leaving = isTakingBack === true ? await leavingPolicy(space.client, found, { object, at }) : [];
  const asking = found.find(({ metadata }) => metadata.labels?.[SELECTION_LABEL] !== undefined);
  const selection = asking && describeSelection(asking, spec, bindings.get(asking.metadata.name));
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

/**
 * The BindingPolicies whose Bindings say something: those of the stage that it is at and of the one before it, to which it may go
 * back, and what asks for clusters.
 */
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

/** What there is to say about the object itself. */
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

const withProblem = (object: PresentPolicy, reason: string, message: string): PresentPolicy => ({
  ...object,
  problems: [...object.problems, { reason, message }],
});

/** What is wrong with the expressions of a stage. */
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

/** Describes the BindingPolicy of a stage, which is not as asked while its reports are not collected. */
function describePolicy(
  policy: BindingPolicy,
  spec: StagedBindingPolicySpec,
  { binding, isCollected }: { readonly binding: Binding | undefined; readonly isCollected: boolean },
): StagePolicy {
  const { name, uid = '', deletionTimestamp, labels = {} } = policy.metadata;
  const stage = spec.stages.find((one) => one.name === labels[STAGE_LABEL]);
  const narrowing = readNarrowing(policy);
  return {
    stage: labels[STAGE_LABEL] ?? '',
    name,
    uid,
    isAsAsked:
      isCollected && stage !== undefined && isAsDesired(policy.spec, buildPolicySpec(spec, stage, narrowing)),
    isDeleting: deletionTimestamp !== undefined,
    isBound: explainUnbound(policy, binding) === undefined,
    ...given({ refusal: findRefusal(policy, binding), only: narrowing?.clusters }),
  };
}

/** What there is to say of the BindingPolicy that asks for the clusters of a stage. */
function describeSelection(
  policy: BindingPolicy,
  spec: StagedBindingPolicySpec,
  binding: Binding | undefined,
): ClusterSelection {
  const { name, uid = '', deletionTimestamp, labels = {} } = policy.metadata;
  const stage = spec.stages.find((one) => one.name === labels[SELECTION_LABEL]);
  const isAnswered = explainUnbound(policy, binding) === undefined && binding !== undefined;
  return {
    stage: labels[SELECTION_LABEL] ?? '',
    name,
    uid,
    isAsAsked: stage !== undefined && isAsDesired(policy.spec, buildSelectionSpec(stage)),
    isDeleting: deletionTimestamp !== undefined,
    ...(isAnswered ? { clusters: listClusters(binding) } : {}),
  };
}
