import { z } from 'zod';
import type { Named } from './resource.ts';
import type { Rule } from './rules.ts';

interface Ruled {
  readonly ingress?: { readonly type: string } | undefined;
  readonly clusters?: readonly unknown[] | undefined;
  readonly applications?: readonly { readonly clusterSelector?: unknown }[] | undefined;
  readonly deletionPolicy?: string | undefined;
}

// What only a Cell with applications has, and what only one with ingress has.
const OF_APPLICATIONS = ['clusters', 'parallel', 'onFailure', 'syncTimeout', 'rollbackDelay'] as const;
const OF_INGRESS = ['version', 'versionedBy', 'updateStrategy'] as const;

type Rules = readonly Rule<
  Ruled & { readonly [Field in (typeof OF_APPLICATIONS | typeof OF_INGRESS)[number]]?: unknown }
>[];

const anyOf = (fields: readonly string[]): string => fields.map((field) => `has(self.${field})`).join(' || ');
const listed = (fields: readonly string[]): string =>
  `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`;

/** What holds for the spec of a Cell as a whole. */
export const cellRules: Rules = [
  {
    cel: 'has(self.ingress) != has(self.applications)',
    message: 'Exactly one of spec.ingress and spec.applications must be set. Keep one, or create two Cells.',
    holds: (spec) => (spec.ingress === undefined) !== (spec.applications === undefined),
  },
  {
    cel: 'has(self.applications) == has(oldSelf.applications)',
    message: 'A Cell cannot change between spec.ingress and spec.applications. Create a new Cell.',
    // It is about a change, which only the API server sees.
    holds: () => true,
  },
  {
    cel: '!has(self.ingress) || !has(oldSelf.ingress) || self.ingress.type == oldSelf.ingress.type',
    message:
      'spec.ingress.type is immutable, because the previous load balancer would be left with its current weights. Create a new Cell for the other one.',
    // It is about a change, which only the API server sees.
    holds: () => true,
  },
  {
    cel: '!has(self.applications) || has(self.clusters)',
    message: 'spec.clusters is required with spec.applications. List the clusters.',
    holds: (spec) => spec.applications === undefined || spec.clusters !== undefined,
  },
  {
    cel: `has(self.applications) || !(${anyOf(OF_APPLICATIONS)})`,
    message: `${listed(OF_APPLICATIONS)} are only allowed with spec.applications. Remove them.`,
    holds: (spec) =>
      spec.applications !== undefined || OF_APPLICATIONS.every((field) => spec[field] === undefined),
  },
  {
    cel: `!has(self.applications) || !(${anyOf(OF_INGRESS)})`,
    message: `${listed(OF_INGRESS)} are only allowed with spec.ingress; each application has its own updateStrategy. Remove them.`,
    holds: (spec) =>
      spec.applications === undefined || OF_INGRESS.every((field) => spec[field] === undefined),
  },
  {
    cel: '!has(self.applications) || !has(self.clusters) || size(self.clusters) < 2 || self.applications.all(a, has(a.clusterSelector))',
    message:
      'Each of spec.applications must have a clusterSelector with two or more clusters. Add it, for example role: web.',
    holds: ({ clusters = [], applications = [] }) =>
      clusters.length < 2 || applications.every(({ clusterSelector }) => clusterSelector !== undefined),
  },
  {
    cel: "!has(self.deletionPolicy) || self.deletionPolicy == 'Retain' || !has(self.ingress) || self.ingress.type != 'AWSNetworkLoadBalancer'",
    message:
      'spec.deletionPolicy must be Retain with AWSNetworkLoadBalancer, because its listener must have a default action. Remove it, and delete the listener yourself.',
    holds: ({ deletionPolicy, ingress }) =>
      deletionPolicy !== 'Delete' || ingress?.type !== 'AWSNetworkLoadBalancer',
  },
];

const LONGEST_LABEL_VALUE = 63;

const withApplications = z.object({ applications: z.array(z.object({ name: z.string() })) });

/** The length of the longest name of an application; undefined without any. */
function longestApplication(spec: unknown): number | undefined {
  const parsed = withApplications.safeParse(spec);
  return parsed.success ? Math.max(...parsed.data.applications.map(({ name }) => name.length)) : undefined;
}

/** What holds for the name of a Cell. */
export const nameRules: readonly Rule<Named>[] = [
  {
    cel: `self.metadata.name.size() <= ${LONGEST_LABEL_VALUE}`,
    message: `metadata.name of a Cell must have at most ${LONGEST_LABEL_VALUE} characters, because it is the value of a label on its AnalysisRuns and Experiments. Choose a shorter name.`,
    holds: ({ metadata }) => metadata.name.length <= LONGEST_LABEL_VALUE,
  },
  {
    cel: `!has(self.spec.applications) || self.spec.applications.all(a, self.metadata.name.size() + a.name.size() < ${LONGEST_LABEL_VALUE})`,
    message: `metadata.name of a Cell and the name of each application must have at most ${LONGEST_LABEL_VALUE - 1} characters together, because a Cell is named after both. Shorten one of them.`,
    holds({ metadata, spec }) {
      const longest = longestApplication(spec);
      return longest === undefined || metadata.name.length + longest < LONGEST_LABEL_VALUE;
    },
  },
];
