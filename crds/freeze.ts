import { object, optional, string, type z } from 'zod';
import { conditions, listOf, nonEmpty } from './common.ts';
import { defineResource, type Resource } from './resource.ts';
import { requirePattern, withRules } from './rules.ts';
import { isDate } from './windows.ts';

const said = (field: string, longest: number) =>
  withRules(nonEmpty(longest), [
    requirePattern(
      '[^ ]',
      `spec.${field} must not be blank: it is shown to those whose rollouts are on hold. Set it.`,
    ),
  ]);

const TIME_PATTERN =
  '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$';

// Not `format: date-time`, which lets times pass that nobody can read, such as an offset of 25 hours.
const time = withRules(string().min(20).max(35), [
  {
    cel: `self.matches('${TIME_PATTERN}') && timestamp(self) > timestamp('0999-01-01T00:00:00Z')`,
    message: 'must be a time such as 2027-01-02T08:00:00Z or 2027-01-02T09:00:00+01:00. Correct the time.',
    holds: (text) => new RegExp(TIME_PATTERN).test(text) && isDate(text.slice(0, 10)),
  },
]);

const spec = object({
  by: said('by', 253).describe('Who requests the Freeze: a person or team to contact.'),
  reason: said('reason', 1024).describe('The reason, for everyone whose rollout it holds.'),
  until: optional(time).describe(
    'When the Freeze ends, for example 2027-01-02T08:00:00Z. Default: when it is deleted.',
  ),
  namespaces: optional(
    listOf(nonEmpty(63), 200, 1)
      // The API server says so of a set by itself.
      .refine((names) => new Set(names).size === names.length, {
        message: 'The entries of spec.namespaces must be unique. Remove the repeated one.',
      }),
  )
    .meta({ 'x-kubernetes-list-type': 'set' })
    .describe('The namespaces whose rollouts it holds. Default: all.'),
});

const status = object({ conditions: optional(conditions) });

export const freeze = defineResource({
  kind: 'Freeze',
  shortNames: ['okfreeze'],
  description:
    'A Freeze holds the rollouts of every Cell in the cluster at their next command, for as long as it exists. Weights stay as they are. Taking traffic back (an abort, a failed check, missing target groups, spec.version set to a lower version) never waits.',
  scope: 'Cluster',
  watched: 'Optional',
  spec,
  status,
  printerColumns: [
    { name: 'By', type: 'string', jsonPath: '.spec.by' },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason' },
    { name: 'Until', type: 'string', jsonPath: '.spec.until' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type FreezeSpec = z.output<typeof spec>;
export type Freeze = Resource<FreezeSpec, z.output<typeof status>>;
