import { boolean, object, optional, record, string, type z } from 'zod';
import { atomicList, duration, listOf, nonEmpty, timestamp, withKeys } from './common.ts';
import { withRules, type Rule } from './rules.ts';

const NAME_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** A name that objects are named after. */
export const objectName = (longest: number, what: string) =>
  withRules(nonEmpty(longest), [
    {
      cel: `self.matches('${NAME_PATTERN}')`,
      message: `name must have only lower-case letters, digits and dashes, because ${what} named after it. Correct it.`,
      holds: (name) => new RegExp(NAME_PATTERN).test(name),
    },
  ]);

/** Labels of a cluster, or tags of an EKS cluster. */
export const clusterLabels = (field: string) =>
  withKeys(record(string(), string().max(512)), { field, shortest: 1, longest: 317, most: 50 });

const eks = object({
  clusterName: optional(nonEmpty(100)).describe(
    'The name of the cluster in EKS. Default: the name of the entry.',
  ),
});

const clusterOfCell = object({
  name: objectName(63, 'target groups are').describe('The name of the cluster in this Cell.'),
  eks: optional(eks).describe('The EKS cluster.'),
  requireReady: boolean()
    .default(true)
    .describe(
      'Whether the cluster must be ACTIVE and answer /readyz before anything begins. If false, EKS only needs to report its endpoint. Default: true.',
    ),
  readyTimeout: optional(duration).describe(
    'How long the cluster may take to become ready before the Cell fails, for example 60m. Default: no limit.',
  ),
  labels: optional(clusterLabels('labels')).describe('Labels for clusterSelector and arnFromLabel.'),
});

interface NamedEntry {
  readonly name: string;
}

/** Has each entry of a list have a name of its own. */
export const eachNameOnce = (list: string): Rule<readonly NamedEntry[]> => ({
  cel: 'self.all(one, self.exists_one(other, other.name == one.name))',
  message: `Names in ${list} must be unique. Rename or remove the duplicate.`,
  holds: (entries) => new Set(entries.map(({ name }) => name)).size === entries.length,
});

/** The clusters of a Cell. */
export const clustersOfCell = withRules(listOf(clusterOfCell, 64, 1), [eachNameOnce('clusters')]).meta({
  'x-kubernetes-list-type': 'atomic',
});

/** A cluster of a Cell, as its spec says it. */
export type ClusterOfCell = z.output<typeof clusterOfCell>;

/** How the clusters of a Cell stand. */
export const clustersStatus = atomicList(
  object({
    name: string().max(63).describe('The name of the cluster in this Cell.'),
    ready: boolean().describe('Whether the cluster is ready.'),
    message: string().max(1024).describe('The reason, in a sentence.'),
    since: timestamp.describe('When this began.'),
  }),
  64,
);
