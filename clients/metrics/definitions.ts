/** What a metric is, for those who scrape it and for those who read of it. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ACTIVITY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const STEP_BUCKETS = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 10_800, 43_200, 86_400];

/** Every metric of okrad's own, by who serves it; the gauges are computed at each scrape, so that a restart does not reset them. */
export const metricsOf = {
  process: {
    okra_build_info: {
      type: 'gauge',
      help: 'Always 1; the version of okrad is a label.',
      labels: ['version'],
    },
    okra_ready: {
      type: 'gauge',
      help: 'Whether a condition of /readyz is fulfilled: 1 or 0.',
      labels: ['condition'],
    },
    okra_metrics_failures_total: {
      type: 'counter',
      help: 'Times that a state could not be read for a scrape, which then lacks it.',
      labels: ['state'],
    },
  },
  watchers: {
    okra_leader: { type: 'gauge', help: 'Whether the watchers of this process lead: 1 or 0.', labels: [] },
    okra_watch_lag_seconds: {
      type: 'gauge',
      help: 'Seconds since the API server last sent anything about a kind; it sends a bookmark about once a minute. Optional kinds that are not installed are left out, and those that Okra may not read, but for Freezes and AccessPolicies.',
      labels: ['kind'],
    },
    okra_workflows_stuck: {
      type: 'gauge',
      help: 'Workflow runs that were found in the last five minutes to be unable to continue, because their workflow task failed again and again, or because Temporal has lost a part of their history; replaced ones included.',
      labels: ['type'],
    },
    okra_messages_pending: {
      type: 'gauge',
      help: 'Messages to workflows that Temporal has not taken yet.',
      labels: [],
    },
    okra_cells: { type: 'gauge', help: 'Cells by phase.', labels: ['namespace', 'phase'] },
    okra_rollouts: {
      type: 'gauge',
      help: 'Rollouts that are under way, by the phase of their Cell.',
      labels: ['namespace', 'phase'],
    },
    okra_cell_held_seconds: {
      type: 'gauge',
      help: 'For how long a Cell has waited for the same reason; only of Cells that wait. After a restart of okrad it counts from the time at which the status was written last.',
      labels: ['namespace', 'cell', 'reason'],
    },
    okra_cell_degraded: {
      type: 'gauge',
      help: '1 for each Cell whose condition Degraded is true, with its reason.',
      labels: ['namespace', 'cell', 'reason'],
    },
    okra_cell_canary_weight: {
      type: 'gauge',
      help: 'The weight of the canary as read back, 0 to 100; only while a rollout is under way.',
      labels: ['namespace', 'cell'],
    },
    okra_cell_last_change_timestamp_seconds: {
      type: 'gauge',
      help: 'When the last change of what serves was over, and its outcome.',
      labels: ['namespace', 'cell', 'outcome'],
    },
    okra_measurements: {
      type: 'gauge',
      help: 'AnalysisRuns, Experiments, Checks and Jobs that Cells have made and that are kept, by phase.',
      labels: ['kind', 'phase'],
    },
    okra_rollouts_finished_total: {
      type: 'counter',
      help: 'Finished rollouts and other changes of the serving version, by outcome.',
      labels: ['outcome'],
    },
    okra_rollout_duration_seconds: {
      type: 'histogram',
      help: 'How long changes took from their begin to their end.',
      labels: ['outcome'],
      buckets: STEP_BUCKETS,
    },
    okra_step_duration_seconds: {
      type: 'histogram',
      help: 'How long steps took that were done, by kind.',
      labels: ['kind'],
      buckets: STEP_BUCKETS,
    },
    okra_analysis_results_total: {
      type: 'counter',
      help: 'Verdicts of AnalysisRuns, Experiments, Checks and Jobs, as the leading watchers have seen them come.',
      labels: ['kind', 'verdict'],
    },
  },
  worker: {
    okra_activities_total: {
      type: 'counter',
      help: 'Activities that have ended, by outcome: Completed, Cancelled, or the type of the failure. Those that are called sync… are the syncs.',
      labels: ['activity', 'outcome'],
    },
    okra_activity_duration_seconds: {
      type: 'histogram',
      help: 'How long activities took, from their start in this worker.',
      labels: ['activity'],
      buckets: ACTIVITY_BUCKETS,
    },
    okra_reconcile_failing_seconds: {
      type: 'gauge',
      help: 'For how long the looks for the same object, namespace or listener have failed, one after the other, at the begin of the last one: the longest of each activity. A look fails when all its attempts do. Only of looks that fail; where another worker has made a later one, until the look after that is due.',
      labels: ['activity'],
    },
    okra_writes_total: {
      type: 'counter',
      help: 'Attempts to make a load balancer serve what was decided: Served, Lacking (target groups lack healthy targets), Refused.',
      labels: ['outcome'],
    },
    okra_drift_found_total: {
      type: 'counter',
      help: 'Objects whose rule or listener was found to serve something else, at each look.',
      labels: ['type'],
    },
    okra_drift_corrected_total: {
      type: 'counter',
      help: 'Writes that made a load balancer serve again what had been served before.',
      labels: ['type'],
    },
    okra_aws_requests_total: {
      type: 'counter',
      help: 'Requests to AWS, repeated ones as well: OK, Throttled, Failed (AWS answered with another error) or Unanswered.',
      labels: ['service', 'operation', 'region', 'outcome'],
    },
    okra_aws_request_duration_seconds: {
      type: 'histogram',
      help: 'How long AWS took for a request.',
      labels: ['service', 'operation'],
      buckets: CALL_BUCKETS,
    },
    okra_rate_limit_waiting: {
      type: 'gauge',
      help: 'Calls of this worker that wait for its rate limit: writes and registrations of AWS by region, queries of Datadog by organisation.',
      labels: ['kind', 'quota'],
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MetricDefinition>>>>;

/** Every metric of okrad's own. */
export const definitions = { ...metricsOf.process, ...metricsOf.watchers, ...metricsOf.worker };

export type MetricName = keyof typeof definitions;

/** The name of a metric of a type; gauges are states, which are computed at each scrape. */
export type NameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof definitions)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof definitions)[Name]['labels'][number], string>
>;
