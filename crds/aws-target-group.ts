import { object, optional, string, type z } from 'zod';
import { conditions, observedGeneration, targetGroupARN, timestamp } from './common.ts';
import { defineResource, type Resource } from './resource.ts';

const spec = object({
  arn: targetGroupARN.describe('The ARN of the target group.'),
});

const status = object({
  observedGeneration,
  conditions: optional(conditions).describe(
    'The current state of the target group: Ready when it exists in AWS and the Cells that select it can use it, otherwise Degraded. Both are Unknown until AWS has answered.',
  ),
  version: optional(string().max(256)).describe(
    'The version in the AWS tags of the target group: the tag okra.mumo.co/version, or else version. Okra uses it when no label of this object has a version.',
  ),
  lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
});

const ready = (field: string): string => `.status.conditions[?(@.type=="Ready")].${field}`;

export const awsTargetGroup = defineResource({
  kind: 'AWSTargetGroup',
  shortNames: ['awstg'],
  description:
    'An AWSTargetGroup names an existing ELBv2 target group. Cells select it by its labels. The label okra.mumo.co/version, or else a tag of the target group in AWS, has the version of its cluster.',
  watched: 'Always',
  verbs: ['get', 'create', 'patch', 'delete'],
  isReported: true,
  spec,
  status,
  printerColumns: [
    { name: 'Version', type: 'string', jsonPath: '.metadata.labels.okra\\.mumo\\.co/version' },
    {
      name: 'Tagged',
      type: 'string',
      jsonPath: '.status.version',
      description: 'The version in the AWS tags, used when no label has one.',
    },
    { name: 'Ready', type: 'string', jsonPath: ready('status') },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Reason', type: 'string', jsonPath: ready('reason'), priority: 1 },
    { name: 'ARN', type: 'string', jsonPath: '.spec.arn', priority: 1 },
    { name: 'Message', type: 'string', jsonPath: ready('message'), priority: 1 },
  ],
});

export type AWSTargetGroupStatus = z.output<typeof status>;
type AWSTargetGroupSpec = z.output<typeof spec>;
export type AWSTargetGroup = Resource<AWSTargetGroupSpec, AWSTargetGroupStatus>;
