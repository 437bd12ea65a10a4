/** An alert, as a PrometheusRule has it. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** For how long it has to hold. */
  readonly duration: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  /** What to look at, and what to do. */
  readonly description: string;
}

/** The page with a section for each alert; a value of the chart replaces it by where that is published. */
export const RUNBOOK_URL = 'docs/on-call.md';

/** Returns the anchor of the section for an alert in the runbook. */
export const anchorOf = (alert: string): string => alert.toLowerCase();

/** What a person should look at. Each is of one namespace: a Prometheus may look at more than one installation. */
export const alerts: readonly Alert[] = [
  {
    name: 'OkraWithoutLeader',
    expr: 'sum by (namespace) (okra_leader) < 1 or absent(okra_leader)',
    duration: '2m',
    severity: 'critical',
    summary: 'No Okra watchers are leading{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description:
      'Kubernetes changes are not processed, so no rollout begins. Check the pods of the watchers, their /readyz, and the Lease.',
  },
  {
    name: 'OkraWithoutWorker',
    expr: 'sum by (namespace) (okra_build_info) unless sum by (namespace) (okra_ready{condition="worker, polls"}) > 0 or absent(okra_build_info)',
    duration: '2m',
    severity: 'critical',
    summary: 'No Okra worker is running{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description:
      'No rollout progresses and none is reverted: requests wait in Temporal, an abort too. Check the pods of the workers and their /readyz.',
  },
  {
    name: 'OkraNotReady',
    expr: 'min by (namespace, pod, condition) (okra_ready) == 0',
    duration: '5m',
    severity: 'warning',
    summary:
      'An Okra pod{{ with $labels.namespace }} in {{ . }}{{ end }} is waiting for {{ $labels.condition }}.',
    description: '/readyz of {{ $labels.pod }} says what is missing; see docs/health.md.',
  },
  {
    name: 'OkraRevertBlocked',
    expr: 'sum by (namespace) (okra_cells{phase="FailedReverting"}) > 0',
    duration: '1m',
    severity: 'critical',
    summary: 'A Cell in {{ $labels.namespace }} cannot revert its traffic.',
    description:
      'A failed version still receives traffic, because ELBv2 or Kubernetes refuses the write that would revert it. kubectl describe of the Cell says why.',
  },
  {
    name: 'OkraCellDegraded',
    expr: 'max by (namespace, cell, reason) (okra_cell_degraded) > 0',
    duration: '5m',
    severity: 'warning',
    summary: 'Cell {{ $labels.namespace }}/{{ $labels.cell }} is degraded: {{ $labels.reason }}.',
    description: 'Its condition Degraded says why the Cell does not match its spec.',
  },
  {
    name: 'OkraRolloutHeld',
    expr: 'max by (namespace, cell, reason) (okra_cell_held_seconds{reason!~"WaitingFor(Resume|Approval|Pause|Window|Freeze|Bake|Detach)"}) > 1800',
    duration: '1m',
    severity: 'warning',
    summary:
      'Cell {{ $labels.namespace }}/{{ $labels.cell }} has waited for {{ $value | humanizeDuration }}: {{ $labels.reason }}.',
    description:
      'The rollout is blocked by something unplanned. The status of the Cell says by what, and what to do.',
  },
  {
    name: 'OkraWatchSilent',
    expr: 'max by (namespace, kind) (okra_watch_lag_seconds) > 300',
    duration: '5m',
    severity: 'warning',
    summary:
      'The API server has sent Okra{{ with $labels.namespace }} in {{ . }}{{ end }} nothing about {{ $labels.kind }} for {{ $value | humanizeDuration }}.',
    description:
      'It usually sends a bookmark about once a minute. The log of the leading watchers says what fails, and in which namespace. Remove a deleted namespace from OKRA_WATCH_NAMESPACE.',
  },
  {
    name: 'OkraMessagesPending',
    expr: 'max by (namespace) (okra_messages_pending) > 0',
    duration: '5m',
    severity: 'critical',
    summary: 'Temporal does not accept messages from Okra{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description: 'No change reaches a rollout. Check Temporal, and the log of the watchers.',
  },
  {
    name: 'OkraThrottledByAWS',
    expr: 'sum by (namespace, service, region) (rate(okra_aws_requests_total{outcome="Throttled"}[10m])) > 0.05',
    duration: '10m',
    severity: 'warning',
    summary:
      'AWS throttles Okra{{ with $labels.namespace }} in {{ . }}{{ end }}: {{ $labels.service }} in {{ $labels.region }}.',
    description:
      'All clients share the quota of the account. Find who else calls, or lower the rates of Okra (docs/configuration.md).',
  },
  {
    name: 'OkraRefusedByAWS',
    expr: 'sum by (namespace, service, operation) (increase(okra_aws_requests_total{outcome=~"Failed|Unanswered"}[15m])) > 20',
    duration: '15m',
    severity: 'warning',
    summary:
      '{{ $labels.operation }} by Okra{{ with $labels.namespace }} in {{ . }}{{ end }} fails: AWS refuses it or does not answer.',
    description:
      'The statuses of the objects have the answer of AWS; see docs/iam.md and docs/configuration.md.',
  },
  {
    name: 'OkraWriteQueueGrowing',
    expr: 'sum by (namespace, kind, quota) (okra_rate_limit_waiting) > 0',
    duration: '10m',
    severity: 'warning',
    summary:
      '{{ $value }} calls of {{ $labels.quota }} ({{ $labels.kind }}) wait for the rate limit{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description:
      'There are more calls than the rate limit of the workers allows. Reverts go first. Raise the rates (docs/configuration.md) if the quota of the account allows it.',
  },
  {
    name: 'OkraDriftRecurring',
    expr: 'sum by (namespace, type) (increase(okra_drift_healed_total[1h])) > 10',
    duration: '5m',
    severity: 'warning',
    summary:
      'Okra keeps correcting changes of others at load balancers ({{ $labels.type }}){{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description: 'CloudTrail shows who else calls ModifyRule or ModifyListener.',
  },
  {
    name: 'OkraReconcileFailing',
    // A failed look is repeated after the interval, and no status says that drift was not looked for.
    expr: 'max by (namespace, activity) (okra_looks_failing_seconds) > 1800',
    duration: '1m',
    severity: 'warning',
    summary:
      '{{ $labels.activity }} has failed for {{ $value | humanizeDuration }}{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description:
      'Changes made elsewhere may go unnoticed: findDrift looks for drift at a listener, sync… and checkTargetGroups compare an object, or those of a namespace, with what exists. The Web UI of Temporal shows for which it fails, and why.',
  },
  {
    name: 'OkraWorkflowTaskFails',
    expr: 'sum by (namespace, workflow_type, failure_reason) (increase(temporal_workflow_task_execution_failed_total[10m])) > 0',
    duration: '5m',
    severity: 'critical',
    summary:
      'Workflow tasks of {{ $labels.workflow_type }} fail{{ with $labels.namespace }} in {{ . }}{{ end }}: {{ $labels.failure_reason }}.',
    description:
      'Such a workflow does not continue until a task succeeds. Okra replaces a run whose task fails for half a minute (OkraWorkflowStuck). With NonDeterminismError after an upgrade, go back to the previous release; see docs/operations.md.',
  },
  {
    name: 'OkraWorkflowStuck',
    expr: 'max by (namespace, type) (okra_workflows_stuck) > 0',
    duration: '1m',
    severity: 'critical',
    summary:
      '{{ $value }} runs of {{ $labels.type }} could not continue{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description:
      'Okra replaces such a run by a new one, which continues from the status of the object; one that is stuck again is replaced less and less often. The Event WorkflowStuck of the object and the log of the leading watchers say why; see docs/temporal.md. If the alert persists, go back to the previous release.',
  },
  {
    name: 'OkraTasksWait',
    expr: 'histogram_quantile(0.95, sum by (le, namespace, task_queue) (rate(temporal_activity_schedule_to_start_latency_seconds_bucket[10m]))) > 10 or histogram_quantile(0.95, sum by (le, namespace, task_queue) (rate(temporal_workflow_task_schedule_to_start_latency_seconds_bucket[10m]))) > 10',
    duration: '10m',
    severity: 'warning',
    summary:
      'Tasks of {{ $labels.task_queue }} wait for a worker{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description: 'Run more workers, or find what occupies their slots.',
  },
  {
    name: 'OkraWorkerSlotsExhausted',
    expr: 'sum by (namespace, task_queue, worker_type) (temporal_worker_task_slots_available) == 0',
    duration: '5m',
    severity: 'warning',
    summary:
      'All workers of {{ $labels.task_queue }} are busy ({{ $labels.worker_type }}){{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description: 'Something that activities call does not answer, or there are too few workers.',
  },
  {
    name: 'OkraTemporalRefuses',
    expr: 'sum by (namespace, operation, status_code) (increase(temporal_request_failure_total{status_code!~"CANCELLED|NOT_FOUND|DEADLINE_EXCEEDED"}[10m])) > 20',
    duration: '10m',
    severity: 'warning',
    summary:
      'Temporal answers {{ $labels.operation }} with {{ $labels.status_code }}{{ with $labels.namespace }} in {{ . }}{{ end }}.',
    description: 'RESOURCE_EXHAUSTED is a limit of the namespace; see docs/temporal.md.',
  },
];

/** The groups of a rules file of Prometheus, which are the spec of a PrometheusRule too. */
export const ruleGroups = () => ({
  groups: [
    {
      name: 'okra',
      rules: alerts.map(({ name, expr, duration, severity, summary, description }) => ({
        alert: name,
        expr,
        for: duration,
        labels: { severity },
        annotations: { summary, description, runbook_url: `${RUNBOOK_URL}#${anchorOf(name)}` },
      })),
    },
  ],
});
