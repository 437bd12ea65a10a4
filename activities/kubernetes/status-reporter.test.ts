import { describe, expect, it } from 'vitest';
import {
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_NETWORK_LOAD_BALANCER_CONFIG,
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  AWS_TARGET_GROUP_SET,
  CELL,
  CLUSTER_SET,
  FREEZE,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import type { Identified, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { resources } from '../../crds/index.ts';
import { checkTargetGroups } from '../../domain/discovery/target-group/target-group-check.ts';
import { deriveSyncStatus } from '../../domain/discovery/sync-status.ts';
import { loadBalancerStatus } from '../../domain/load-balancers/load-balancer-config.ts';
import { changeOf } from '../../domain/rollout/report/history.ts';
import { takeRequest } from '../../domain/model/requests.ts';
import { initialState, type RolloutState } from '../../domain/model/state.ts';
import { statusOf } from '../../domain/rollout/report/status.ts';
import { aCell, aRollout } from '../../domain/testing/builders.ts';
import { createStatusReporter } from './status-reporter.ts';

const NOW = Date.parse('2026-11-22T00:00:00Z');
const time = new Date(NOW).toISOString();
const at = { generation: 1, time };

/** Texts that come from outside: from people, from AWS, from an API server, from Argo Rollouts. */
const texts = [
  ['of one byte', 'x'.repeat(100_000)],
  ['of four bytes', '🚦'.repeat(50_000)],
] as const;

/** A Cell of which everything that is said is this text. */
function cellStatus(text: string): CellStatus {
  const observed = aCell()
    .withGroups('1.0.0', 'a')
    .withGroups(text, 'bad')
    .withStatus({ blockedVersions: [{ version: '0.9.0', cause: text, time }] })
    .serving({ a: 80, b: 20 })
    .seen();
  const said = { by: text, reason: text, at: NOW };
  const asked = takeRequest(takeRequest(underWay(text), 'pause', said), 'abort', said);
  const state: RolloutState = {
    ...asked,
    justBlocked: { version: '1.1.0', cause: text, time },
    justChanged: changeOf(asked.requested, {
      version: '1.1.0',
      from: '1.0.0',
      outcome: 'Reverted',
      message: text,
      startedAt: NOW,
      endedAt: NOW,
    }),
  };
  if (observed.cell === undefined) throw new Error('Expected the builder to have a Cell.');
  return statusOf({
    observed,
    cell: observed.cell,
    state,
    decision: { do: 'Wait', for: 'Freeze', message: text },
    workflow: { workflowId: 'cell/default/web', runId: 'run' },
    now: NOW,
  });
}

function underWay(text: string): RolloutState {
  const measuring = {
    verdict: { name: 'run', phase: 'Error', message: text },
    startedAt: 0,
    readAt: 0,
    reads: 0,
  } as const;
  return {
    ...initialState,
    backoff: { during: 'Shift', reason: 'Refused', message: text, since: 0, attempts: 1, until: 0 },
    rollout: aRollout({
      startedAt: NOW,
      stepStartedAt: NOW,
      progress: { is: 'Measuring', kind: 'AnalysisRun', ...measuring },
      background: { prefix: 'bg', ...measuring },
    }),
  };
}

const refused = (text: string): object =>
  loadBalancerStatus(
    {
      key: { namespace: 'default', name: 'web' },
      uid: 'u',
      generation: 1,
      status: {},
      adopt: false,
      desired: {
        type: 'AWSNetworkLoadBalancer',
        listenerARN: 'arn',
        listener: { forward: { targetGroups: [] } },
      },
      deletion: { policy: 'Retain', isHeld: false, isUnderWay: false },
    },
    { is: 'Refused', reason: 'Refused', message: text },
    time,
  );

const synced = (text: string): object =>
  deriveSyncStatus(
    { message: text, problems: [{ cluster: text, object: text, reason: 'Unreachable', message: text }] },
    {},
    at,
  );

function checked(text: string): object {
  const group = {
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSTargetGroup',
    metadata: { namespace: 'default', name: 'a', uid: 'u', generation: 1 },
    spec: { arn: 'arn:a' },
  };
  const answers = new Map([['arn:a', { is: 'Unasked', reason: 'Throttled', message: text } as const]]);
  return checkTargetGroups({ groups: [group], cells: [], answers, time })[0]?.status ?? {};
}

const cases = texts.flatMap(([what, text]) =>
  (
    [
      [CELL, cellStatus(text)],
      [AWS_APPLICATION_LOAD_BALANCER_CONFIG, refused(text)],
      [AWS_NETWORK_LOAD_BALANCER_CONFIG, refused(text)],
      [CLUSTER_SET, synced(text)],
      [AWS_TARGET_GROUP_SET, synced(text)],
      [AWS_TARGET_GROUP_BINDING, synced(text)],
      [AWS_TARGET_GROUP, checked(text)],
    ] as const
  ).map(([kind, status]) => [kind.kind, what, kind, status] as const),
);

/** What is written when this is reported: the objects, in order. */
async function written(
  kind: KindRef,
  status: object,
  { message = 'It is so.', namespace = 'default' } = {},
): Promise<readonly object[]> {
  const objects: object[] = [];
  const write = async <T extends Identified>(object: T): Promise<T> => {
    objects.push(object);
    return await Promise.resolve(object);
  };
  const kubernetes: Pick<KubernetesClient, 'apply' | 'create'> = { apply: write, create: write };
  const about = { key: { namespace, name: 'web' }, uid: 'u' };
  const event = { id: '1', type: 'Normal', reason: 'StepCompleted', message } as const;
  await createStatusReporter(kubernetes)(kind, about, status, [event]);
  return objects;
}

describe('a status that is made of texts of 100,000 characters', () => {
  it.each(cases)('is one that the API server takes: %s, %s', async (name, _, kind, status) => {
    const schema = resources.find((one) => one.kind === name)?.status;
    const [, object] = await written(kind, status);
    const parsed = schema?.safeParse(object !== undefined && 'status' in object ? object.status : undefined);
    expect(parsed?.error?.issues ?? []).toEqual([]);
    expect(parsed?.success).toBe(true);
    // etcd takes 1.5 MB.
    expect(Buffer.byteLength(JSON.stringify(object))).toBeLessThan(1_500_000);
  });
});

describe('an Event', () => {
  it.each(texts)('has a note of so many bytes as the API server takes, of texts %s', async (_, text) => {
    const [event] = await written(CELL, {}, { message: text });
    const note = event !== undefined && 'note' in event ? String(event.note) : '';
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(note)).toBeGreaterThan(1000);
    expect(text.startsWith(note.slice(0, -1))).toBe(true);
  });

  it('of an object that is in no namespace is where those of nodes are', async () => {
    const [event, object] = await written(FREEZE, {}, { namespace: '' });
    expect(event).toMatchObject({ metadata: { namespace: 'default' }, regarding: { name: 'web' } });
    expect(event).not.toHaveProperty('regarding.namespace');
    expect(object).toMatchObject({ kind: 'Freeze', metadata: { name: 'web', uid: 'u' } });
  });
});
