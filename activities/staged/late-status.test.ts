import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import { nginx } from '../../test/support/samples/staged.ts';
import { stagedActivities } from './staged.ts';
import { MemoryKubernetes } from './testing/memory.ts';

const asked = { activityTaskScheduledEventAttributes: { activityId: '9' } };
/** A Temporal in which run b has followed run a, and has asked for nine activities. */
const temporal = {
  options: { namespace: 'default' },
  workflow: { getHandle: () => ({ describe: () => Promise.resolve({ runId: 'b' }) }) },
  workflowService: {
    getWorkflowExecutionHistoryReverse: () => Promise.resolve({ history: { events: [asked] } }),
  },
} as unknown as Client;

it.each([
  ['an earlier activity', 'b', '8'],
  ['a run that another has followed', 'a', '20'],
])(
  'a status of a StagedBindingPolicy hides nothing when %s reports it late',
  async (_, runId, activityId) => {
    const { client: kubernetes } = new MemoryKubernetes();
    const clusters = {} as RemoteClusters;
    const activities = stagedActivities({ kubernetes, clusters, temporal });
    const { apiVersion, kind } = STAGED_BINDING_POLICY;
    await kubernetes.apply({ apiVersion, kind, metadata: { name: 'web' }, spec: nginx } as Parameters<
      typeof kubernetes.apply
    >[0]);
    const present = async () => (await activities.observeStaged({ name: 'web' })).object;
    const uid = (await present())?.uid ?? '';
    const report = (phase: 'RolledBack' | 'Completed', run: string, activity: string) => {
      const info = {
        workflowExecution: { workflowId: 'staged-binding-policy/web', runId: run },
        activityId: activity,
      };
      const context = { info, cancellationSignal: new AbortController().signal } as unknown as Context;
      return asyncLocalStorage.run(context, () =>
        activities.reportStaged({ name: 'web', uid, status: { phase } }),
      );
    };
    await report('RolledBack', 'b', '9');
    await expect(report('Completed', runId, activityId)).rejects.toThrow(
      'was not written: a later one is there',
    );
    expect((await present())?.status).toMatchObject({
      phase: 'RolledBack',
      writer: { runId: 'b', activity: 9 },
    });
  },
);
