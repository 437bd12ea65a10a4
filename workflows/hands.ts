import type {
  AnalysisActivities,
  CellActivities,
  CheckActivities,
  ExperimentActivities,
  JobActivities,
  LoadBalancerConfigActivities,
  MeasurementActivities,
  TrafficActivities,
} from '../activities/contract.ts';

/** What carries decisions out: activities, by what is said of them, and where random ids come from. */
export interface Hands {
  readonly objects: (
    summary: string,
  ) => Pick<CellActivities, 'readLostRun'> & Pick<LoadBalancerConfigActivities, 'releaseLoadBalancer'>;
  readonly measurements: (
    summary: string,
  ) => AnalysisActivities &
    ExperimentActivities &
    JobActivities &
    MeasurementActivities &
    Omit<CheckActivities, 'runCheck'>;
  readonly elbv2Reads: (
    summary: string,
  ) => Pick<TrafficActivities, 'readTargetHealth' | 'inspectLoadBalancer'>;
  readonly traffic: (summary: string, urgent: boolean) => Pick<TrafficActivities, 'shiftTraffic'>;
  readonly configs: (summary: string) => Pick<LoadBalancerConfigActivities, 'removeLoadBalancer'>;
  readonly newId: () => string;
}
