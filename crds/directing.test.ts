import { describe, expect, it } from 'vitest';
import { resources } from './index.ts';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names by which a field says whom or what Okra is to use. */
const DIRECTING =
  /arns?$|^address$|externalid$|secret|^namespaces?$|^podNamespace$|^server$|^vpcID$|^ids$|^image$/i;

/** The paths of the fields of a schema that say so. */
function* directing(node: Node, path: string): Generator<string> {
  const properties = node['properties'];
  for (const [name, child] of isNode(properties) ? Object.entries(properties) : []) {
    const at = `${path}.${name}`;
    if (DIRECTING.test(name)) yield at;
    if (isNode(child)) yield* directing(child, at);
  }
  for (const key of ['items', 'additionalProperties']) {
    const child = node[key];
    if (isNode(child)) yield* directing(child, `${path}[]`);
  }
}

const fieldsOf = (resource: (typeof resources)[number]): readonly string[] => {
  const { versions } = resource.manifest()['spec'] as {
    versions: { schema: { openAPIV3Schema: { properties: { spec: Node } } } }[];
  };
  return [...directing(versions[0]?.schema.openAPIV3Schema.properties.spec ?? {}, 'spec')];
};

const checkFields = [
  // Of CloudWatch, that is of metrics.
  'analysis.provider.cloudWatch.metrics[].namespace',
  'analysis.provider.cloudWatch.roleARN',
  // Secrets of the namespace, of which Okra reads the keys and nothing else.
  'analysis.provider.datadog.secretRef',
  'analysis.provider.prometheus.address',
  'analysis.provider.prometheus.secretRef',
];

const jobFields = [
  // What it runs, in the namespace, with no rights.
  'template.spec.image',
  // Secrets of the namespace, by which nodes pull the image.
  'template.spec.imagePullSecrets',
];

const binding = ['targetGroup.vpcID', 'targetGroupARN', 'targets[].ids', 'targets[].podNamespace'];

/**
 * Every field by which an object directs Okra's identity, or the objects of others. One that is added here needs an answer in
 * docs/security.md, and a row in test/discovery/tenants.test.ts unless it says what is within the namespace.
 */
const known: Readonly<Record<string, readonly string[]>> = {
  Cell: [
    'spec.ingress.awsApplicationLoadBalancer.listenerARN',
    'spec.ingress.awsNetworkLoadBalancer.listenerARN',
    // Secrets of the namespace, handed on to Argo Rollouts by reference.
    ...['bake', 'blueGreen.steps[]', 'canary', 'canary.steps[]'].map(
      (at) => `spec.updateStrategy.${at}.analysis.args[].valueFrom.secretKeyRef`,
    ),
    'spec.updateStrategy.canary.steps[].experiment.analyses[].args[].valueFrom.secretKeyRef',
    ...['blueGreen', 'canary'].flatMap((at) =>
      checkFields.map((field) => `spec.updateStrategy.${at}.steps[].check.${field}`),
    ),
    ...['blueGreen', 'canary'].flatMap((at) =>
      jobFields.map((field) => `spec.updateStrategy.${at}.steps[].job.${field}`),
    ),
    'spec.applications[].alb.forwardConfig.targetGroup.arn',
    'spec.applications[].alb.listenerARN',
    // Made by Okra in the namespace of the Cell, as those of a ClusterSet.
    'spec.applications[].argocd.clusterSecret',
    ...['prechecks', 'checks', 'postchecks'].flatMap((at) =>
      [...checkFields, 'args[].valueFrom.secretKeyRef', ...jobFields.map((field) => `job.${field}`)].map(
        (field) => `spec.applications[].${at}[].${field}`,
      ),
    ),
  ],
  // Those that operators write say themselves who may use what.
  Freeze: ['spec.namespaces'],
  AccessPolicy: ['spec.namespaces', 'spec.roles[].arn'],
  ClusterSet: [
    'spec.generators[].awseks.externalID',
    'spec.generators[].awseks.roleARN',
    // By which of its names a secret names the cluster that was found.
    'spec.template.server',
  ],
  AWSTargetGroup: ['spec.arn'],
  AWSApplicationLoadBalancerConfig: ['spec.listener.rule.forward.targetGroups[].arn', 'spec.listenerARN'],
  AWSNetworkLoadBalancerConfig: ['spec.listener.forward.targetGroups[].arn', 'spec.listenerARN'],
  AWSTargetGroupBinding: binding.map((field) => `spec.${field}`),
  Check: [
    ...checkFields.map((field) => `spec.${field}`),
    'spec.analysis.compare.baselines[].metrics[].namespace',
    'spec.analysis.compare.targetGroupARNs',
  ],
  // Cluster-scoped: who may write one may place workloads on every cluster, and says by which kubeconfig.
  StagedBindingPolicy: ['spec.downsync[].namespaces', 'spec.space.namespace', 'spec.stages[].cell.namespace'],
  AWSTargetGroupSet: binding.map((field) => `spec.bindingTemplate.spec.${field}`),
};

describe('the fields that direct Okra', () => {
  it.each(resources.map((resource) => [resource.kind, fieldsOf(resource)] as const))(
    'of %s are those that are answered for',
    (kind, fields) => expect(fields.toSorted()).toEqual((known[kind] ?? []).toSorted()),
  );
});
