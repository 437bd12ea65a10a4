import { freezesIn } from '../kubernetes/freezes.ts';
import { BINDING, BINDING_POLICY, CELL, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import { isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import {
  stagedBindingPolicy,
  type Stage,
  type StagedBindingPolicy,
  type StagedBindingPolicySpec,
} from '../../crds/staged-binding-policy.ts';
import { freezesOf, type Freezing } from '../../domain/gates/freeze.ts';
import { compileCondition, compileFilter } from '../../domain/staged/cel/expression.ts';
import { cellProblem } from '../../domain/staged/cell.ts';
import type { Binding } from '../../domain/staged/kubestellar.ts';
import type {
  ObservedStaged,
  PresentPolicy,
  StagePolicy,
  StageView,
} from '../../domain/staged/observation.ts';
import {
  policySpec,
  saysWhatItShould,
  STAGE_LABEL,
  STAGED_UID_LABEL,
  type BindingPolicy,
} from '../../domain/staged/policy.ts';
import { namespacesOf, unboundReason } from '../../domain/staged/workload.ts';
import { spaceOf, type Spaces } from './space.ts';
import { viewOfStage } from './view.ts';

const NOTHING = { policies: [], freezes: [] } as const;

/** Reads a StagedBindingPolicy and all that its next step depends on; `at` is the stage to look at. */
export async function observeStaged(
  spaces: Spaces,
  { name, at }: { readonly name: string; readonly at?: string | undefined },
): Promise<ObservedStaged> {
  const object = await spaces.kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name });
  if (object === undefined) return NOTHING;
  const seen = presentPolicy(object);
  const { spec } = seen;
  if (spec === undefined) return { ...NOTHING, object: seen };
  const space = await spaceOf(spec, spaces);
  if (space.is === 'Problem')
    return { ...NOTHING, object: withProblem(seen, 'SpaceNotReached', space.problem) };
  const found = await policiesIn(space.client, seen.uid);
  if (found === undefined) {
    const message =
      'Expected the kinds of KubeStellar in the workload description space, got none. Install KubeStellar there.';
    return { ...NOTHING, object: withProblem(seen, 'KubeStellarNotFound', message) };
  }
  const bindings = new Map(
    await Promise.all(
      found.map(
        async ({ metadata }) => [metadata.name, await space.client.get<Binding>(BINDING, metadata)] as const,
      ),
    ),
  );
  const policies = found.map((policy) => stagePolicy(policy, spec, bindings.get(policy.metadata.name)));
  const known = [...bindings.values()].filter((one) => one !== undefined);
  const freezes = await freezesFor(spaces.kubernetes, namespacesOf(spec, known));
  const stage = spec.stages.find((one) => one.name === at);
  const policy = found.find(({ metadata }) => metadata.labels?.[STAGE_LABEL] === at);
  const view =
    stage === undefined ? undefined : await viewOf({ stage, policy, bindings, client: space.client }, spaces);
  return { object: seen, policies, freezes, ...(view === undefined ? {} : { view }) };
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
    ...(parsed.ok ? { spec: parsed.value } : {}),
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
      ? [{ reason: 'InvalidExpression', message: `The ${field} of stage ${name}: ${one.problem}` }]
      : [],
  );
}

/** The BindingPolicies of a StagedBindingPolicy; undefined while KubeStellar is not installed. */
async function policiesIn(
  client: KubernetesClient,
  uid: string,
): Promise<readonly BindingPolicy[] | undefined> {
  try {
    return await client.list<BindingPolicy>(BINDING_POLICY, { labelSelector: `${STAGED_UID_LABEL}=${uid}` });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function stagePolicy(
  policy: BindingPolicy,
  spec: StagedBindingPolicySpec,
  binding: Binding | undefined,
): StagePolicy {
  const { name, uid = '', deletionTimestamp, labels = {} } = policy.metadata;
  const stage = spec.stages.find((one) => one.name === labels[STAGE_LABEL]);
  return {
    stage: labels[STAGE_LABEL] ?? '',
    name,
    uid,
    isAsAsked: stage !== undefined && saysWhatItShould(policy, policySpec(spec, stage)),
    isDeleting: deletionTimestamp !== undefined,
    isBound: unboundReason(policy, binding) === undefined,
  };
}

async function viewOf(
  of: {
    readonly stage: Stage;
    readonly policy: BindingPolicy | undefined;
    readonly bindings: ReadonlyMap<string, Binding | undefined>;
    readonly client: KubernetesClient;
  },
  { kubernetes }: Spaces,
): Promise<StageView> {
  const { stage, policy, bindings, client } = of;
  const cell = stage.cell === undefined ? undefined : await cellOf(kubernetes, stage.cell);
  const said = cell === undefined ? {} : { cell };
  const unbound = (reason: string): StageView => ({
    stage: stage.name,
    unbound: reason,
    objects: 0,
    fulfilled: 0,
    print: '',
    ...said,
  });
  if (policy === undefined) return unbound('Its BindingPolicy is not there yet.');
  const { name, uid = '' } = policy.metadata;
  const binding = bindings.get(name);
  const reason = unboundReason(policy, binding);
  if (reason !== undefined || binding === undefined) return unbound(reason ?? 'It has no Binding.');
  return { ...(await viewOfStage({ client, stage, policy: { name, uid }, binding })), ...said };
}

/** Why a Cell keeps a stage from being fulfilled; undefined when it does not. */
async function cellOf(
  kubernetes: KubernetesClient,
  wanted: NonNullable<Stage['cell']>,
): Promise<string | undefined> {
  const { namespace, name } = wanted;
  return cellProblem(wanted, await kubernetes.get<Cell>(CELL, { namespace, name }));
}

/** The Freezes that hold a workload: those of all namespaces, and those of one that it is in. */
async function freezesFor(
  kubernetes: KubernetesClient,
  namespaces: ReadonlySet<string>,
): Promise<readonly Freezing[]> {
  const all = await freezesIn(kubernetes);
  const found = ['', ...namespaces].flatMap((namespace) => freezesOf(namespace, all));
  return [...new Map(found.map((freeze) => [freeze.name, freeze])).values()];
}
