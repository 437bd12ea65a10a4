import { describe, expect, it, vi } from 'vitest';
import { applicationActs, applicationLooks, checks, samples, stages, sync } from './activities.ts';

let workflowId = '';
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  workflowInfo: () => ({ taskQueue: 'okra', workflowId }),
  // What is asked of Temporal is what comes of it here.
  proxyActivities: (options: unknown) => options,
  scheduleActivity: (_name: string, _args: unknown, options: unknown) => options,
}));

const name = 'n'.repeat(80);

describe('what may hang for long takes turns with that of other namespaces', () => {
  it.each<[string, () => unknown, string, string]>([
    ['a sample of a Check', () => samples('s'), 'check/shop/errors', 'shop'],
    ['a sync', () => sync('syncClusterSet', 's', []), 'cluster-set/shop/all', 'shop'],
    ['a look at AWSTargetGroups', () => checks('s'), 'target-group-check/shop', 'shop'],
    ['a look at a Cell with applications', () => applicationLooks('s'), 'cell/shop/web', 'shop'],
    ['what such a Cell does', () => applicationActs('s'), 'cell/shop/web', 'shop'],
    ['a stage', () => stages('s'), `staged-binding-policy/${name}`, name.slice(0, 64)],
  ])('%s', (_, ask, id, fairnessKey) => {
    workflowId = id;
    expect(ask()).toMatchObject({ priority: { fairnessKey } });
  });
});
