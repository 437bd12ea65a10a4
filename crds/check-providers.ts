import { z } from 'zod';
import { datadog, variable } from './check-datadog.ts';
import { withRules } from './rules.ts';
import { region, roleARN } from './sets.ts';

const metric = z.object({
  id: variable('The id of the metric in the expression.'),
  namespace: z
    .string()
    .min(1)
    .max(255)
    .describe('The namespace of the metric, for example AWS/ApplicationELB.'),
  metricName: z.string().min(1).max(255).describe('The name of the metric.'),
  dimensions: z
    .array(
      z.object({
        name: z.string().min(1).max(255).describe('The name of the dimension.'),
        value: z.string().min(1).max(1024).describe('Its value; variables may stand in it.'),
      }),
    )
    .max(30)
    .optional()
    .describe('The dimensions of the metric, all that it has.'),
  stat: z
    .string()
    .min(1)
    .max(40)
    .describe(
      'The statistic of a bucket: Sum, Average, Minimum, Maximum, SampleCount, or a percentile such as p99.',
    ),
});

/** The metrics of an expression. */
export const cloudWatchMetrics = z
  .array(metric)
  .min(1)
  .max(10)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] });

const cloudWatch = z.object({
  region: region.optional().describe('The region of the metrics. Default: that of okrad.'),
  roleARN: roleARN.optional().describe('The role that is assumed, in the account of the metrics.'),
  metrics: cloudWatchMetrics
    .optional()
    .describe('The metrics that query is an expression over. With one of them, query may be left out.'),
});

const prometheus = z.object({
  address: z
    .string()
    .min(1)
    .max(512)
    .describe(
      'The address of Prometheus, for example http://prometheus.monitoring:9090, or of what speaks its HTTP API.',
    ),
  secretRef: z
    .object({ name: z.string().min(1).max(253).describe('The name of the Secret.') })
    .optional()
    .describe(
      'A Secret in the namespace of the Check with the key token, a bearer token. Default: none is sent.',
    ),
});

/** Who is asked. */
export const provider = withRules(
  z.object({
    datadog: datadog.optional().describe('Asks Datadog.'),
    cloudWatch: cloudWatch.optional().describe('Asks CloudWatch, by GetMetricData.'),
    prometheus: prometheus.optional().describe('Asks Prometheus, by its HTTP API.'),
  }),
  [
    {
      cel: '[has(self.datadog), has(self.cloudWatch), has(self.prometheus)].filter(x, x).size() <= 1',
      message: 'Expected at most one of datadog, cloudWatch and prometheus in provider. Remove the others.',
      holds: (one) => Object.values(one).filter((value) => value !== undefined).length <= 1,
    },
  ],
);
