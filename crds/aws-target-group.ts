import { z } from 'zod';
import { conditions, targetGroupARN } from './common.ts';
import { defineResource, type Resource } from './resource.ts';

const spec = z.object({
  arn: targetGroupARN.describe('The ARN of the target group.'),
});

const status = z.object({
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('The metadata.generation that this status is about.'),
  conditions: conditions
    .optional()
    .describe(
      'What holds for the target group now: Ready when AWS knows it and no other load balancer holds it, Degraded otherwise.',
    ),
  lastSyncTime: z.iso.datetime().optional().describe('When this status was written.'),
});

/** An AWS target group with a version and labels, for Cells to select. */
export const awsTargetGroup = defineResource({
  kind: 'AWSTargetGroup',
  plural: 'awstargetgroups',
  singular: 'awstargetgroup',
  shortNames: ['awstg'],
  description:
    'An AWSTargetGroup names an existing ELBv2 target group. Its labels say which Cells it belongs to, and the label okra.mumo.co/version which version of the cluster it stands for.',
  spec,
  status,
  printerColumns: [
    { name: 'Version', type: 'string', jsonPath: '.metadata.labels.okra\\.mumo\\.co/version' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      priority: 1,
    },
    { name: 'ARN', type: 'string', jsonPath: '.spec.arn', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** What an AWSTargetGroup says. */
export type AWSTargetGroupSpec = z.output<typeof spec>;
/** An AWSTargetGroup as the API server has it. */
export type AWSTargetGroup = Resource<AWSTargetGroupSpec, z.output<typeof status>>;
