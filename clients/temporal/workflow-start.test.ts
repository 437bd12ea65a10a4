import { describe, expect, it } from 'vitest';
import { driftWatchStart, objectStart, targetGroupCheckStart, type WorkflowStart } from './workflow-start.ts';

const namespace = 'n'.repeat(63);
const key = { namespace, name: 'o'.repeat(253) };
const listenerARN = `arn:aws:elasticloadbalancing:${'r'.repeat(400)}:111122223333:listener/app/web/a/b`;
const type = 'AWSApplicationLoadBalancer';
const intervalSeconds = 60;

const starts: readonly (readonly [string, WorkflowStart])[] = [
  ['a rollout', objectStart({ kind: 'Cell', key: { namespace, name: 'o'.repeat(63) } }, 'okra')],
  ['the writer of a load balancer', objectStart({ kind: `${type}Config`, key }, 'okra')],
  ['a watch over a listener', driftWatchStart({ type, place: listenerARN, intervalSeconds }, 'okra')],
  ['a sync', objectStart({ kind: 'AWSTargetGroupBinding', key, intervalSeconds }, 'okra')],
  ['a check of target groups', targetGroupCheckStart({ namespace, intervalSeconds }, 'okra')],
];

describe('a workflow that is started for the longest names', () => {
  it.each(starts)('has an id and a summary that Temporal takes: %s', (_, { options }) => {
    expect(Buffer.byteLength(options.workflowId)).toBeLessThanOrEqual(255);
    expect(Buffer.byteLength(options.staticSummary)).toBeLessThanOrEqual(400);
  });
});
