interface Query {
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly about: string;
  readonly type: 'stat' | 'table' | 'timeseries';
  readonly unit?: 's' | 'percent' | 'reqps' | 'short';
  /** Of the 24 columns. */
  readonly width: 6 | 8 | 12 | 24;
  readonly queries: readonly Query[];
}

const q = (expr: string, legend = ''): Query => ({ expr, legend });
const NS = 'namespace=~"$namespace"';

const p95 = (histogram: string, by: string): string =>
  `histogram_quantile(0.95, sum by (le, ${by}) (rate(${histogram}_bucket[$__rate_interval])))`;

/** The panels, in their order. */
export const panels: readonly Panel[] = [
  {
    title: 'Cells',
    about: 'Cells by phase.',
    type: 'stat',
    width: 12,
    queries: [q(`sum by (phase) (okra_cells{${NS}})`, '{{phase}}')],
  },
  {
    title: 'Rollouts under way',
    about: 'By the phase of their Cell.',
    type: 'stat',
    width: 6,
    queries: [q(`sum by (phase) (okra_rollouts{${NS}})`, '{{phase}}')],
  },
  {
    title: 'Leading watchers',
    about: 'There is to be one.',
    type: 'stat',
    width: 6,
    queries: [q('sum(okra_leader)', 'leading')],
  },
  {
    title: 'Why held',
    about: 'Each Cell that waits, for what, and for how long. The status of the Cell says it in a sentence.',
    type: 'table',
    unit: 's',
    width: 12,
    queries: [q(`sort_desc(max by (namespace, cell, reason) (okra_cell_held_seconds{${NS}}))`)],
  },
  {
    title: 'Held, by reason',
    about: 'How many Cells wait for the same.',
    type: 'timeseries',
    width: 12,
    queries: [
      q(`count by (reason) (max by (namespace, cell, reason) (okra_cell_held_seconds{${NS}}))`, '{{reason}}'),
    ],
  },
  {
    title: 'Weight of the canary',
    about: 'As read back from the load balancer, while a rollout is under way.',
    type: 'timeseries',
    unit: 'percent',
    width: 12,
    queries: [q(`max by (namespace, cell) (okra_cell_canary_weight{${NS}})`, '{{namespace}}/{{cell}}')],
  },
  {
    title: 'Degraded',
    about: 'Cells that something keeps from what their spec asks for.',
    type: 'table',
    width: 12,
    queries: [q(`max by (namespace, cell, reason) (okra_cell_degraded{${NS}})`)],
  },
  {
    title: 'Changes, by outcome',
    about: 'Rollouts and other changes of what serves that were over in an hour.',
    type: 'timeseries',
    width: 8,
    queries: [q('sum by (outcome) (increase(okra_changes_total[1h]))', '{{outcome}}')],
  },
  {
    title: 'Steps take',
    about: 'The 95th percentile of how long steps take, by kind.',
    type: 'timeseries',
    unit: 's',
    width: 8,
    queries: [q(p95('okra_step_duration_seconds', 'kind'), '{{kind}}')],
  },
  {
    title: 'Verdicts',
    about: 'Of AnalysisRuns, Experiments and Checks, in an hour.',
    type: 'timeseries',
    width: 8,
    queries: [q('sum by (kind, verdict) (increase(okra_verdicts_total[1h]))', '{{kind}} {{verdict}}')],
  },
  {
    title: 'Writes',
    about: 'Attempts to make a load balancer serve what was decided.',
    type: 'timeseries',
    unit: 'reqps',
    width: 8,
    queries: [q('sum by (outcome) (rate(okra_writes_total[$__rate_interval]))', '{{outcome}}')],
  },
  {
    title: 'Requests to AWS',
    about: 'By service and outcome.',
    type: 'timeseries',
    unit: 'reqps',
    width: 8,
    queries: [
      q(
        'sum by (service, outcome) (rate(okra_aws_requests_total[$__rate_interval]))',
        '{{service}} {{outcome}}',
      ),
    ],
  },
  {
    title: 'Calls waiting',
    about: 'Calls that wait for the rate limit, by region, or organisation of Datadog.',
    type: 'timeseries',
    width: 8,
    queries: [q('sum by (kind, quota) (okra_rate_limit_waiting)', '{{kind}} {{quota}}')],
  },
  {
    title: 'Drift',
    about: 'Found and healed in an hour.',
    type: 'timeseries',
    width: 8,
    queries: [
      q('sum by (type) (increase(okra_drift_found_total[1h]))', 'found {{type}}'),
      q('sum by (type) (increase(okra_drift_healed_total[1h]))', 'healed {{type}}'),
    ],
  },
  {
    title: 'Silence of watches',
    about: 'Seconds since the API server has sent anything about a kind.',
    type: 'timeseries',
    unit: 's',
    width: 8,
    queries: [q('max by (kind) (okra_watch_lag_seconds)', '{{kind}}')],
  },
  {
    title: 'Activities take',
    about: 'The 95th percentile, by activity.',
    type: 'timeseries',
    unit: 's',
    width: 8,
    queries: [q(p95('okra_activity_duration_seconds', 'activity'), '{{activity}}')],
  },
  {
    title: 'Calls to Temporal',
    about: 'By operation; RecordActivityTaskHeartbeat are the heartbeats.',
    type: 'timeseries',
    unit: 'reqps',
    width: 12,
    queries: [q('sum by (operation) (rate(temporal_request_total[$__rate_interval]))', '{{operation}}')],
  },
  {
    title: 'Tasks wait for a worker',
    about: 'The 95th percentile, by task queue.',
    type: 'timeseries',
    unit: 's',
    width: 12,
    queries: [
      q(
        p95('temporal_activity_schedule_to_start_latency_seconds', 'task_queue'),
        'activities of {{task_queue}}',
      ),
      q(
        p95('temporal_workflow_task_schedule_to_start_latency_seconds', 'task_queue'),
        'workflows of {{task_queue}}',
      ),
    ],
  },
  {
    title: 'Free slots',
    about: 'How many more tasks the workers can take.',
    type: 'timeseries',
    width: 12,
    queries: [
      q(
        'sum by (task_queue, worker_type) (temporal_worker_task_slots_available)',
        '{{task_queue}} {{worker_type}}',
      ),
    ],
  },
  {
    title: 'Polls and forced evictions',
    about: 'Polls that the workers hold, and workflows that had to leave their cache.',
    type: 'timeseries',
    width: 12,
    queries: [
      q('sum by (poller_type) (temporal_num_pollers)', 'polls of {{poller_type}}'),
      q('sum(increase(temporal_sticky_cache_total_forced_eviction_total[5m]))', 'evictions'),
    ],
  },
];

const datasource = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
const HEIGHT = 8;

/** The dashboard as Grafana imports it. */
export function dashboard(): object {
  let [x, y] = [0, 0];
  const placed = panels.map(({ title, about, type, unit = 'short', width, queries }, index) => {
    if (x + width > COLUMNS) [x, y] = [0, y + HEIGHT];
    const gridPos = { x, y, w: width, h: HEIGHT };
    x += width;
    return {
      id: index + 1,
      title,
      description: about,
      type,
      datasource,
      gridPos,
      fieldConfig: { defaults: { unit, ...(unit === 'percent' ? { min: 0, max: 100 } : {}) }, overrides: [] },
      targets: queries.map(({ expr, legend }, at) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + at),
        datasource,
        expr,
        legendFormat: legend,
        ...(type === 'timeseries' ? {} : { instant: true, ...(type === 'table' ? { format: 'table' } : {}) }),
      })),
      ...(type === 'table'
        ? { transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }] }
        : {}),
    };
  });
  const choice = { refresh: 2, hide: 0, includeAll: true, multi: true, allValue: '.*' };
  return {
    uid: 'okra',
    title: 'Okra',
    tags: ['okra'],
    schemaVersion: 39,
    timezone: 'browser',
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'namespace',
          label: 'Namespace',
          type: 'query',
          datasource,
          query: 'label_values(okra_cells, namespace)',
          ...choice,
        },
      ],
    },
    panels: placed,
  };
}
