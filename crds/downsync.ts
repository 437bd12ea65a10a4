import { boolean, object, optional, record, string, type z } from 'zod';
import { labelSelectorRequirement, listOf } from './common.ts';
import { withRules } from './rules.ts';

// KubeStellar's own schema has no bounds; these keep one object within what the API server stores.
const names = (most: number, longest = 253) => optional(listOf(string().max(longest), most));

const labelValue = string().max(63);

/** A label selector as KubeStellar takes it; what it refuses it says in the status of the Binding. */
const selector = object({
  matchLabels: optional(record(string(), labelValue)).describe(
    'Labels that it must have, with exactly these values.',
  ),
  matchExpressions: optional(listOf(labelSelectorRequirement, 16)).describe(
    'Expressions over labels; all of them must match.',
  ),
});

const selectors = listOf(selector, 32);

/** Clusters by their labels; a cluster that any of them matches is one (BindingPolicy, spec.clusterSelectors). */
export const clusterSelectors = selectors.min(1).meta({ 'x-kubernetes-list-type': 'atomic' });

const tests = [
  'apiGroup',
  'resources',
  'namespaces',
  'namespaceSelectors',
  'objectSelectors',
  'objectNames',
] as const;

const clauseFields = object({
  apiGroup: optional(string().max(253)).describe(
    'The API group of the objects; empty for the core group. Default: any.',
  ),
  resources: names(64).describe('Kinds, as lower-case plurals, or * alone. Default: any.'),
  namespaces: names(256).describe(
    'The namespaces of the objects, or * alone, which also matches objects without one. Default: any.',
  ),
  namespaceSelectors: optional(selectors).describe(
    "Selectors over the labels of an object's namespace; any of them may match. Default: any.",
  ),
  objectSelectors: optional(selectors).describe(
    "Selectors over an object's labels; any of them may match. Default: any.",
  ),
  objectNames: names(256).describe('The names of the objects, or * alone. Default: any.'),
  createOnly: optional(boolean()).describe(
    'Whether to leave an object as it is in a cluster that already has it.',
  ),
  statusCollectors: names(32).describe('The StatusCollectors that report on the objects.'),
  wantSingletonReportedState: optional(boolean()).describe(
    'Whether to copy the status back into the object when exactly one cluster has it. Not with several stages.',
  ),
  wantMultiWECReportedState: optional(boolean()).describe(
    'Whether to combine the statuses from all clusters in the status of the object.',
  ),
});

/** What is synced, and how (DownsyncPolicyClause of control.kubestellar.io/v1alpha1): all that it says of an object must hold. */
export const downsyncClause = withRules(clauseFields, [
  {
    cel: tests.map((field) => `has(self.${field})`).join(' || '),
    message: `Each of spec.downsync must have at least one of ${tests.join(', ')}. Specify which objects it selects.`,
    holds: (clause) => tests.some((field) => clause[field] !== undefined),
  },
]);

/** One clause of what is synced. */
export type DownsyncClause = z.output<typeof downsyncClause>;
