import { object, optional } from 'zod';
import { listOf, nonEmpty } from './common.ts';
import { datadog, queryText, variable } from './check-datadog.ts';
import { withRules } from './rules.ts';
import { region, roleARN } from './sets.ts';

/** The namespaces of metrics that are about a target group and its load balancer. */
const ELB_NAMESPACES = ['AWS/ApplicationELB', 'AWS/NetworkELB'];
const ELB_DIMENSIONS = ['TargetGroup', 'LoadBalancer'];
const ARNS = [
  'arn:',
  '{{.Vars.targetGroupARN',
  '{{ .Vars.targetGroupARN',
  '{{.Vars.albListenerARN',
  '{{ .Vars.albListenerARN',
];

const fields = {
  id: variable('The id of the metric in the expression.'),
  namespace: nonEmpty(255).describe('The namespace of the metric, for example AWS/ApplicationELB.'),
  metricName: nonEmpty(255).describe('The name of the metric.'),
  dimensions: optional(
    listOf(
      object({
        name: nonEmpty(255).describe('The name of the dimension.'),
        value: queryText(1024).describe('The value of the dimension; it can use variables.'),
      }),
      30,
    ),
  ).describe('All dimensions of the metric.'),
  stat: nonEmpty(40).describe(
    'The statistic of a bucket: Sum, Average, Minimum, Maximum, SampleCount, or a percentile such as p99.',
  ),
};

const listed = (texts: readonly string[]): string => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

const metric = withRules(object(fields), [
  {
    cel: `!(self.namespace in ${listed(ELB_NAMESPACES)}) || !has(self.dimensions) || self.dimensions.all(d, !(d.name in ${listed(ELB_DIMENSIONS)}) || !${listed(ARNS)}.exists(a, d.value.startsWith(a)))`,
    message:
      'The dimensions TargetGroup and LoadBalancer must not be ARNs, for which CloudWatch has no data. Use {{.Vars.targetGroupFullName}} (targetgroup/NAME/ID) and {{.Vars.loadBalancerFullName}} (app/NAME/ID).',
    holds: ({ namespace, dimensions = [] }) =>
      !ELB_NAMESPACES.includes(namespace) ||
      dimensions.every(
        ({ name, value }) => !ELB_DIMENSIONS.includes(name) || !ARNS.some((one) => value.startsWith(one)),
      ),
  },
]);

/** The metrics of an expression. */
export const cloudWatchMetrics = listOf(metric, 10, 1).meta({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['id'],
});

const cloudWatch = object({
  region: optional(region).describe('The region of the metrics. Default: that of okrad.'),
  roleARN: optional(roleARN).describe('The IAM role to assume, in the account of the metrics.'),
  metrics: optional(cloudWatchMetrics).describe(
    'The metrics in the expression of query. With one metric, query is optional.',
  ),
});

const prometheus = object({
  address: nonEmpty(512).describe(
    'The address of Prometheus, or of another server with its HTTP API, for example http://prometheus.monitoring:9090.',
  ),
  secretRef: optional(object({ name: nonEmpty(253).describe('The name of the Secret.') })).describe(
    'A Secret in the namespace of the Check with a bearer token in the key token. Default: no token.',
  ),
});

/** Who is asked. */
export const provider = withRules(
  object({
    datadog: optional(datadog).describe('Queries Datadog.'),
    cloudWatch: optional(cloudWatch).describe('Queries CloudWatch with GetMetricData.'),
    prometheus: optional(prometheus).describe('Queries Prometheus through its HTTP API.'),
  }),
  [
    {
      cel: '[has(self.datadog), has(self.cloudWatch), has(self.prometheus)].filter(x, x).size() <= 1',
      message: 'provider must have at most one of datadog, cloudWatch and prometheus. Remove the others.',
      holds: (one) => Object.values(one).filter((value) => value !== undefined).length <= 1,
    },
  ],
);
