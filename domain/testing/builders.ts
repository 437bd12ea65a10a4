import type { CanaryStep, CellSpec, CellStatus } from '../../crds/cell.ts';
import type { Freezing } from '../gates/freeze.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { Rollout } from '../model/state.ts';
import type { SelectedTargetGroup, WeightedTargetGroup } from '../model/target-group.ts';

/** A time that the API server accepts and JavaScript does not parse. */
export const NO_TIME = '2026-01-01T00:00:00+99:99';

/** The ARN of a target group in tests. */
export const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/${name}/1`;

/** An observed Cell in tests, built up in words. */
export interface CellBuilder {
  withGroups(version: string | undefined, ...names: string[]): CellBuilder;
  serving(weights: Readonly<Record<string, number>>): CellBuilder;
  withSpec(spec: Partial<CellSpec>): CellBuilder;
  withSteps(...steps: CanaryStep[]): CellBuilder;
  withStatus(status: Partial<CellStatus>): CellBuilder;
  atGeneration(generation: number): CellBuilder;
  frozenBy(...freezes: Freezing[]): CellBuilder;
  seen(): ObservedCell;
}

interface Parts {
  readonly spec: CellSpec;
  readonly status: CellStatus;
  readonly generation: number;
  readonly selected: readonly SelectedTargetGroup[];
  readonly served: readonly WeightedTargetGroup[];
  readonly freezes: readonly Freezing[];
}

const listenerARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/demo/aaa/bbb';
const rule = { priority: 10, hosts: ['example.com'] };

const plain: Parts = {
  spec: {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN,
        listener: { rule },
        targetGroupSelector: { matchLabels: { role: 'web' } },
      },
    },
    replicas: 1,
    minHealthyTargets: 1,
    healthTimeout: '10m',
    settle: '0s',
  },
  status: {},
  generation: 1,
  selected: [],
  served: [],
  freezes: [],
};

/** Starts with a Cell that wants one target group and serves nothing. */
export const aCell = (): CellBuilder => builder(plain);

function builder(parts: Parts): CellBuilder {
  const withSpec = (spec: Partial<CellSpec>): CellBuilder =>
    builder({ ...parts, spec: { ...parts.spec, ...spec } });
  return {
    withSpec,
    withSteps: (...steps) => withSpec({ updateStrategy: { type: 'Canary', canary: { steps } } }),
    withStatus: (status) => builder({ ...parts, status: { ...parts.status, ...status } }),
    frozenBy: (...freezes) => builder({ ...parts, freezes }),
    atGeneration: (generation) => builder({ ...parts, generation }),
    withGroups: (version, ...names) => {
      const added = names.map((name) => ({
        name,
        arn: arnOf(name),
        ...(version === undefined ? {} : { version }),
      }));
      return builder({ ...parts, selected: [...parts.selected, ...added] });
    },
    serving: (weights) =>
      builder({
        ...parts,
        served: Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight })),
      }),
    seen: () => ({
      key: { namespace: 'default', name: 'web' },
      cell: {
        uid: 'uid-1',
        generation: parts.generation,
        spec: parts.spec,
        status: parts.status,
        problems: [],
      },
      digest: 'digest',
      selected: parts.selected,
      weighted: parts.served,
      freezes: parts.freezes,
      ...(parts.served.length === 0
        ? {}
        : {
            observedForwarding: {
              type: 'AWSApplicationLoadBalancer' as const,
              listenerARN,
              ruleARN: `${listenerARN.replace(':listener/', ':listener-rule/')}/ccc`,
              listener: { rule: { ...rule, forward: { targetGroups: [...parts.served] } } },
            },
          }),
      sequence: 0,
      isApplied: true,
    }),
  };
}

/** Weights by name, which is how people write them. */
export const weightsOf = (shares: readonly WeightedTargetGroup[]): Record<string, number> =>
  Object.fromEntries(shares.map((share) => [share.name, share.weight]));

const setOf = (version: string, name: string) => ({ version, groups: [{ name, arn: arnOf(name) }] });

/** A rollout from 1.0.0 by a to 2.0.0 by b that has just begun and has no steps. */
export const aRollout = (more: Partial<Rollout> = {}): Rollout => ({
  id: 'r1',
  startedAt: 0,
  stable: setOf('1.0.0', 'a'),
  canary: setOf('2.0.0', 'b'),
  steps: [],
  index: 0,
  progress: { is: 'Ready' },
  stepStartedAt: 0,
  ...more,
});

type RolloutStatus = NonNullable<CellStatus['rollout']>;

/** A rollout from 1.0.0 to 2.0.0 as a status reports it. */
export const aRolloutStatus = (more: Partial<RolloutStatus> = {}): RolloutStatus => ({
  id: 'r1',
  startedAt: '2026-01-01T00:00:00Z',
  stepStartedAt: '2026-01-01T00:00:00Z',
  stable: { version: '1.0.0', targetGroups: [] },
  canary: { version: '2.0.0', targetGroups: [] },
  workflowId: 'cell/default/web',
  runId: 'r',
  ...more,
});
