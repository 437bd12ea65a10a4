import { enum as choice, object, optional, string, type z } from 'zod';
import { conditions, integer, phaseColumns, timestamp } from './common.ts';
import type { PrinterColumn, ResourceKind } from './resource.ts';

/** What the schemas say of a kind of load balancer; `crds/load-balancers/` has a file for each. */
export interface LoadBalancerSchemas {
  /** The name of the kind, as `spec.ingress.type` has it. */
  readonly type: string;
  /** The names that its block in `spec.ingress` may have: its own, and then those of others. */
  readonly blockNames: readonly [own: string, ...others: string[]];
  /** What a Cell says of it, in the block of its own name. */
  readonly block: z.ZodOptional;
  /** The kind of its configuration object: the type, and `Config`. */
  readonly config: ResourceKind;
}

/** The status of a configuration: how applying it went, what is served in fields of its own, the weights, and what holds. */
export const loadBalancerStatus = <Served extends z.ZodRawShape>(served: Served) =>
  object({
    observedGeneration: optional(integer(0)).describe('The metadata.generation that Okra applied last.'),
    phase: optional(choice(['Pending', 'Created', 'Updating', 'Updated', 'Error'])).describe(
      'Whether ELBv2 serves the spec; if so, Created or Updated.',
    ),
    reason: optional(string().max(1024)).describe('The reason, in one CamelCase word.'),
    message: optional(string().max(32768)).describe('The reason, in a sentence.'),
    ...served,
    weights: optional(string().max(2048)).describe(
      'The weights that ELBv2 serves, in readable form: a1: 50, a2: 50.',
    ),
    conditions: optional(conditions),
    lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
  });

/** What Okra does with the objects of a configuration, for a load balancer of a type. */
export const loadBalancerTraits = <const Type extends string, const Prefix extends string>(
  type: Type,
  idPrefix: Prefix,
) =>
  ({
    watched: 'Always',
    workflow: {
      does: 'Own',
      type: 'loadBalancerConfig',
      idPrefix,
      title: 'Load balancer',
      input: { type },
      bearsCellName: true,
    },
    verbs: ['get', 'create', 'patch'],
    isReported: true,
  }) as const;

/** The columns of a configuration, with those of its own after its phase. */
export const loadBalancerColumns = (...own: readonly PrinterColumn[]): readonly PrinterColumn[] =>
  phaseColumns(...own, { name: 'Weights', type: 'string', jsonPath: '.status.weights' });
