import type {
  AnalysisActivities,
  CellActivities,
  ExperimentActivities,
  LoadBalancerConfigActivities,
  MeasurementActivities,
  TrafficActivities,
} from '../../../activities/contract.ts';
import { translated } from '../../../activities/failure.ts';
import { beating, healthOf, look, passing, shift } from './shift.ts';
import { failureOf } from './troubles.ts';
import { namespaceOf, type World } from './world.ts';

/** What the workflow of a Cell calls. */
export type CellRolloutActivities = CellActivities &
  TrafficActivities &
  AnalysisActivities &
  ExperimentActivities &
  MeasurementActivities &
  LoadBalancerConfigActivities;

/** Makes the activities of all worlds; each world has a namespace of its own. */
export function activitiesIn(worlds: ReadonlyMap<string, World>): CellRolloutActivities {
  const of = (namespace: string): World => {
    const world = worlds.get(namespace);
    if (world !== undefined) return world;
    throw new Error(`Expected a world of ${namespace}, got none.`);
  };
  return {
    ...translated(cellActivities(of)),
    ...translated(trafficActivities(of)),
    ...translated(measuring(of)),
    ...translated(nothingToLetGo),
  };
}

type Worlds = (namespace: string) => World;

const cellActivities = (of: Worlds): CellActivities => ({
  observeCell: ({ namespace }) => look(of(namespace), passing()),
  reportCell: async (report) => {
    const world = of(report.key.namespace);
    await world.troubles.pass('report', passing());
    world.report(report);
  },
  readLostRun: ({ workflowId }) => Promise.resolve(of(workflowId.split('/')[1] ?? '').lostRun),
});

const trafficActivities = (of: Worlds): TrafficActivities => ({
  shiftTraffic: (request) => beating((by) => shift(of(request.cell.key.namespace), request, by)),
  inspectLoadBalancer: async ({ key }) => {
    const world = of(key.namespace);
    await world.troubles.pass('read', passing());
    return { is: 'Serving', targetGroups: world.served };
  },
  readTargetHealth: (arns) => healthOf(of(namespaceOf(arns[0] ?? '')), arns, passing()),
});

const measuring = (of: Worlds): AnalysisActivities & ExperimentActivities & MeasurementActivities => ({
  // The worlds keep no AnalysisRuns of earlier rollouts.
  pruneMeasurements: () => Promise.resolve(),
  startAnalysis: async ({ cell, name }) => {
    const world = of(cell.key.namespace);
    await world.troubles.pass('template', passing());
    return world.start(name);
  },
  readAnalysis: ({ namespace, name }) => Promise.resolve(of(namespace).read(name)),
  terminateAnalysis: ({ namespace, name }) => Promise.resolve(of(namespace).end(name)),
  startExperiment: async ({ cell, name }) => {
    const world = of(cell.key.namespace);
    await world.troubles.pass('template', passing());
    return world.start(name);
  },
  readExperiment: ({ namespace, name }) => Promise.resolve(of(namespace).read(name)),
  terminateExperiment: async ({ namespace, name }) => void (await Promise.resolve(of(namespace).end(name))),
});

const unexpected = (): Promise<never> =>
  Promise.reject(failureOf('InvalidObject', 'Expected a Cell that keeps its configuration, got another.'));

/** The configurations of these worlds belong to a Cell and have no finalizer. */
const nothingToLetGo: LoadBalancerConfigActivities = {
  applyLoadBalancer: unexpected,
  removeLoadBalancer: unexpected,
  releaseLoadBalancer: unexpected,
};
