import { z } from 'zod';
import { conditions } from './common.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';

const said = (field: string, longest: number) =>
  withRules(z.string().min(1).max(longest), [
    {
      cel: "self.matches('[^ ]')",
      message: `Expected spec.${field} to say something to those whose rollouts are held, got blanks. Write it out.`,
      holds: (text) => /[^ ]/.test(text),
    },
  ]);

const spec = z.object({
  by: said('by', 253).describe('Who asks for it: a person or a team that can be reached.'),
  reason: said('reason', 1024).describe('Why, for everybody whose rollout it holds.'),
  until: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When it ends by itself, for example 2027-01-02T08:00:00Z. Without it: when it is deleted.'),
  namespaces: z
    .array(z.string().min(1).max(63))
    .min(1)
    .max(200)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'set' })
    .describe('The namespaces whose rollouts it holds. Default: all.'),
});

const status = z.object({ conditions: conditions.optional() });

/** Holds rollouts for as long as it exists. */
export const freeze = defineResource({
  kind: 'Freeze',
  plural: 'freezes',
  singular: 'freeze',
  shortNames: ['okfreeze'],
  description:
    'A Freeze holds the rollouts of every Cell in the cluster at their next command, for as long as it exists. Weights stay as they are; what takes traffic back (an abort, a failed check, target groups that are gone, spec.version set to a lower version) never waits.',
  scope: 'Cluster',
  spec,
  status,
  printerColumns: [
    { name: 'By', type: 'string', jsonPath: '.spec.by' },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason' },
    { name: 'Until', type: 'string', jsonPath: '.spec.until' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

/** What a Freeze says. */
export type FreezeSpec = z.output<typeof spec>;
/** A Freeze as the API server has it. */
export type Freeze = Resource<FreezeSpec, z.output<typeof status>>;
