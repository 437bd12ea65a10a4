/** The metrics of the Temporal SDK that the alerts and the dashboard use, by their names as its exporter writes them here. */
export const sdkMetrics = {
  temporal_request_total:
    'Calls to Temporal, by `operation`. `RecordActivityTaskHeartbeat` are the heartbeats, which a hosted Temporal bills.',
  temporal_request_failure_total: 'Calls to Temporal that have failed, by `operation` and `status_code`.',
  temporal_workflow_task_execution_failed_total:
    'Workflow tasks that have failed, by `workflow_type` and `failure_reason`. Such a workflow does not go on.',
  temporal_workflow_task_schedule_to_start_latency_seconds:
    'How long workflow tasks wait for a worker, by `task_queue`.',
  temporal_activity_schedule_to_start_latency_seconds:
    'How long activities wait for a worker, by `task_queue`.',
  temporal_worker_task_slots_available:
    'How many more tasks a worker can take, by `task_queue` and `worker_type`.',
  temporal_num_pollers: 'How many polls a worker holds, by `task_queue` and `poller_type`.',
  temporal_sticky_cache_total_forced_eviction_total:
    'Workflows that had to leave the cache for others, and are replayed later.',
} as const;
