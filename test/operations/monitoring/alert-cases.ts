/** What an alert is fired by, and what by rights does not fire it, in the notation of `promtool test rules`: a value for each minute. */
export interface AlertCase {
  readonly alert: string;
  readonly fires: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
  /** After so many minutes it does not fire yet, and then it does. */
  readonly minutes: readonly [notYet: number, then: number];
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

const cell = 'namespace="shop",cell="web"';
const ofCell = { namespace: 'shop', cell: 'web' };
const waits = 'temporal_activity_schedule_to_start_latency_seconds_bucket{task_queue="okra",le=';

/** What installations count, by their namespaces. */
type Counted = Readonly<Record<string, string>>;

const counting =
  (metric: string, labels: string) =>
  (of: Counted): Counted =>
    Object.fromEntries(
      Object.entries(of).map(([namespace, values]) => [
        `${metric}{namespace="${namespace}",${labels}}`,
        values,
      ]),
    );

const throttled = counting(
  'okra_aws_requests_total',
  'service="elbv2",region="eu-west-1",outcome="Throttled"',
);
const refused = (outcome: string, of: Counted): Counted =>
  counting('okra_aws_requests_total', `service="elbv2",operation="ModifyRule",outcome="${outcome}"`)(of);
const healed = counting('okra_drift_corrected_total', 'type="Rule"');

/** Each alert, once. */
export const alertCases: readonly AlertCase[] = [
  {
    alert: 'OkraWithoutLeader',
    // Another installation has a leader.
    fires: {
      'okra_leader{namespace="okra",pod="a"}': '0x20',
      'okra_leader{namespace="okra",pod="b"}': '0x20',
      'okra_leader{namespace="other",pod="c"}': '1x20',
    },
    quiet: {
      'okra_leader{namespace="okra",pod="a"}': '0x20',
      'okra_leader{namespace="okra",pod="b"}': '1x20',
    },
    minutes: [1, 3],
    labels: { namespace: 'okra' },
    summary: 'No Okra watchers are leading in okra.',
  },
  {
    alert: 'OkraWithoutWorker',
    // Watchers are there, and no worker is; another installation has one.
    fires: {
      'okra_build_info{namespace="okra",pod="a"}': '1x20',
      'okra_build_info{namespace="other",pod="b"}': '1x20',
      'okra_ready{namespace="other",pod="b",condition="worker, polls"}': '1x20',
    },
    quiet: {
      'okra_build_info{namespace="okra",pod="a"}': '1x20',
      'okra_build_info{namespace="okra",pod="b"}': '1x20',
      'okra_ready{namespace="okra",pod="a",condition="worker, polls"}': '0x20',
      'okra_ready{namespace="okra",pod="b",condition="worker, polls"}': '1x20',
    },
    minutes: [1, 3],
    labels: { namespace: 'okra' },
    summary: 'No Okra worker is running in okra.',
  },
  {
    alert: 'OkraNotReady',
    fires: { 'okra_ready{namespace="okra",pod="a",condition="temporal"}': '0x20' },
    quiet: { 'okra_ready{namespace="okra",pod="a",condition="temporal"}': '0x3 1x20' },
    minutes: [4, 6],
    labels: { namespace: 'okra', pod: 'a', condition: 'temporal' },
    summary: 'An Okra pod in okra is waiting for temporal.',
  },
  {
    alert: 'OkraRevertBlocked',
    fires: { 'okra_cells{namespace="shop",phase="RevertBlocked"}': '1x20' },
    quiet: { 'okra_cells{namespace="shop",phase="Reverting"}': '1x20' },
    minutes: [0, 2],
    labels: { namespace: 'shop' },
    summary: 'A Cell in shop cannot revert its traffic.',
  },
  {
    alert: 'OkraCellDegraded',
    fires: { [`okra_cell_degraded{${cell},reason="UnhealthyTargets"}`]: '1x20' },
    quiet: { [`okra_cell_degraded{${cell},reason="UnhealthyTargets"}`]: '1x3 stale' },
    minutes: [4, 6],
    labels: { ...ofCell, reason: 'UnhealthyTargets' },
    summary: 'Cell shop/web is degraded: UnhealthyTargets.',
  },
  {
    alert: 'OkraRolloutHeld',
    fires: { [`okra_cell_held_seconds{${cell},reason="WaitingForHealth"}`]: '0+60x60' },
    quiet: { [`okra_cell_held_seconds{${cell},reason="WaitingForResume"}`]: '0+60x60' },
    minutes: [30, 33],
    labels: { ...ofCell, reason: 'WaitingForHealth' },
    summary: 'Cell shop/web has waited for 33m 0s: WaitingForHealth.',
  },
  {
    alert: 'OkraWatchSilent',
    fires: { 'okra_watch_lag_seconds{namespace="okra",kind="Cell"}': '0+60x20' },
    quiet: { 'okra_watch_lag_seconds{namespace="okra",kind="Cell"}': '60x20' },
    minutes: [10, 12],
    labels: { namespace: 'okra', kind: 'Cell' },
    summary: 'The API server has sent Okra in okra nothing about Cell for 12m 0s.',
  },
  {
    alert: 'OkraMessagesPending',
    fires: { okra_messages_pending: '1x20' },
    quiet: { okra_messages_pending: '1x3 0x20' },
    minutes: [4, 6],
    labels: {},
    summary: 'Temporal does not accept messages from Okra.',
  },
  {
    alert: 'OkraThrottledByAWS',
    fires: throttled({ okra: '0+6x60', other: '0+1x60' }),
    // Both together would.
    quiet: throttled({ okra: '0+2x60', other: '0+2x60' }),
    minutes: [9, 25],
    labels: { namespace: 'okra', service: 'elbv2', region: 'eu-west-1' },
    summary: 'AWS throttles Okra in okra: elbv2 in eu-west-1.',
  },
  {
    alert: 'OkraRefusedByAWS',
    fires: refused('Failed', { okra: '0+3x60', other: '0+1x60' }),
    // Both together would.
    quiet: {
      ...refused('Failed', { okra: '0+1x60', other: '0+1x60' }),
      ...refused('Throttled', { okra: '0+3x60' }),
    },
    minutes: [14, 40],
    labels: { namespace: 'okra', service: 'elbv2', operation: 'ModifyRule' },
    summary: 'ModifyRule by Okra in okra fails: AWS refuses it or does not answer.',
  },
  {
    alert: 'OkraWriteQueueGrowing',
    fires: { 'okra_rate_limit_waiting{kind="writes",quota="eu-west-1"}': '9x30' },
    quiet: { 'okra_rate_limit_waiting{kind="writes",quota="eu-west-1"}': '0x30' },
    minutes: [9, 11],
    labels: { kind: 'writes', quota: 'eu-west-1' },
    summary: '9 calls of eu-west-1 (writes) wait for the rate limit.',
  },
  {
    alert: 'OkraDriftRecurring',
    fires: healed({ okra: '0+1x60', other: '0x10 3x50' }),
    // Both together would.
    quiet: healed({ okra: '0x10 6x50', other: '0x10 6x50' }),
    minutes: [10, 30],
    labels: { namespace: 'okra', type: 'Rule' },
    summary: 'Okra keeps correcting changes of others at load balancers (Rule) in okra.',
  },
  {
    alert: 'OkraReconcileFailing',
    // The looks at one listener fail, of which there is one an hour; another installation is well.
    fires: {
      'okra_reconcile_failing_seconds{namespace="okra",pod="a",activity="findDrift"}': 'stale _x59 3600x60',
      'okra_reconcile_failing_seconds{namespace="other",pod="b",activity="findDrift"}': '60x120',
    },
    // The API server is away now and then, and many other looks are repeated once.
    quiet: {
      'okra_reconcile_failing_seconds{namespace="okra",pod="a",activity="findDrift"}':
        '0+60x20 stale _x20 0+60x25 stale',
      'okra_activities_total{activity="findDrift",outcome="Unavailable"}': '0+9x120',
    },
    minutes: [60, 62],
    labels: { namespace: 'okra', activity: 'findDrift' },
    summary: 'findDrift has failed for 1h 0m 0s in okra.',
  },
  {
    alert: 'OkraWorkflowTaskFails',
    fires: {
      'temporal_workflow_task_execution_failed_total{workflow_type="cellRollout",failure_reason="NonDeterminismError"}':
        '0+1x30',
    },
    quiet: {
      'temporal_workflow_task_execution_failed_total{workflow_type="cellRollout",failure_reason="NonDeterminismError"}':
        '1x30',
    },
    minutes: [4, 9],
    labels: { workflow_type: 'cellRollout', failure_reason: 'NonDeterminismError' },
    summary: 'Workflow tasks of cellRollout fail: NonDeterminismError.',
  },
  {
    alert: 'OkraWorkflowStuck',
    fires: { 'okra_workflows_stuck{type="cellRollout"}': '2x30' },
    quiet: { 'okra_workflows_stuck{type="cellRollout"}': '0x30' },
    minutes: [0, 2],
    labels: { type: 'cellRollout' },
    summary: '2 runs of cellRollout could not continue.',
  },
  {
    alert: 'OkraTasksWait',
    fires: { [`${waits}"10"}`]: '0x60', [`${waits}"60"}`]: '0+5x60', [`${waits}"+Inf"}`]: '0+5x60' },
    quiet: { [`${waits}"10"}`]: '0+5x60', [`${waits}"60"}`]: '0+5x60', [`${waits}"+Inf"}`]: '0+5x60' },
    minutes: [9, 25],
    labels: { task_queue: 'okra' },
    summary: 'Tasks of okra wait for a worker.',
  },
  {
    alert: 'OkraWorkerSlotsExhausted',
    // Another installation has some.
    fires: {
      'temporal_worker_task_slots_available{namespace="okra",task_queue="okra",worker_type="ActivityWorker"}':
        '0x20',
      'temporal_worker_task_slots_available{namespace="other",task_queue="okra",worker_type="ActivityWorker"}':
        '9x20',
    },
    quiet: {
      'temporal_worker_task_slots_available{task_queue="okra",worker_type="ActivityWorker"}': '0x3 2x20',
    },
    minutes: [4, 6],
    labels: { namespace: 'okra', task_queue: 'okra', worker_type: 'ActivityWorker' },
    summary: 'All workers of okra are busy (ActivityWorker) in okra.',
  },
  {
    alert: 'OkraTemporalRefuses',
    fires: {
      'temporal_request_failure_total{operation="StartWorkflowExecution",status_code="RESOURCE_EXHAUSTED"}':
        '0+3x60',
    },
    quiet: {
      'temporal_request_failure_total{operation="StartWorkflowExecution",status_code="NOT_FOUND"}': '0+3x60',
    },
    minutes: [9, 30],
    labels: { operation: 'StartWorkflowExecution', status_code: 'RESOURCE_EXHAUSTED' },
    summary: 'Temporal answers StartWorkflowExecution with RESOURCE_EXHAUSTED.',
  },
];
