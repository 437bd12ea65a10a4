import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { temporalId, type WorkflowStart } from '../clients/temporal/workflow-start.ts';
import { objectWorkflowId } from '../domain/model/workflow-ids.ts';
import { createDispatcher, type WorkflowCalls } from './dispatch.ts';
import { fakeClock, turn } from './testing/fakes.ts';

const config = {
  taskQueue: 'okra',
  driftIntervalSeconds: 60,
  syncIntervalSeconds: 30,
  temporal: { address: '127.0.0.1:7233', namespace: 'prod.a1b2c' },
};
const key = { namespace: 'default', name: 'web' };

/** A dispatcher over a Temporal that fails the given calls, in turn, and remembers all. */
function aDispatcher(...errors: Error[]) {
  const called: string[] = [];
  const started: WorkflowStart[] = [];
  const call = async (name: string) => {
    await turn();
    called.push(name);
    const error = errors.shift();
    if (error !== undefined) throw error;
  };
  const calls: WorkflowCalls = {
    wake: async (start) => {
      started.push(start);
      await call(`wake ${start.options.workflowId}`);
    },
    signal: async (workflowId, signal) => call(`signal ${workflowId} ${signal}`),
  };
  const { signal } = new AbortController();
  const { sleep, slept } = fakeClock({ automatic: true });
  const said: { readonly level: string; readonly msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line)) });
  return { ...createDispatcher({ calls, config, log, signal, sleep }), called, started, slept, said };
}

const away = () => new Error('UNAVAILABLE');

/** What the client throws when the server has something against a start. */
const refusal = (details: string) =>
  new ServiceError('Failed to signalWithStart Workflow', {
    cause: Object.assign(new Error(`3 INVALID_ARGUMENT: ${details}`), { code: 3, details, metadata: {} }),
  });

describe('the dispatcher', () => {
  it('wakes the rollout of a Cell with all that it is started with', async () => {
    const { dispatch, idle, called, started } = aDispatcher();
    dispatch({ do: 'Start', kind: 'Cell', key });
    await idle();
    expect(called).toEqual(['wake cell/default/web']);
    expect(started[0]).toMatchObject({
      type: 'cellRollout',
      options: {
        workflowId: 'cell/default/web',
        taskQueue: 'okra',
        args: [{ key }],
        workflowTaskTimeout: '2s',
        staticSummary: 'Cell default/web',
      },
    });
    const attributes = started[0]?.options.typedSearchAttributes
      .getAll()
      .map(({ key: { name }, value }) => [name, value]);
    expect(attributes).toEqual([
      ['OkraKind', 'Cell'],
      ['OkraNamespace', 'default'],
      ['OkraCell', 'web'],
    ]);
  });

  it('wakes the writer of a load balancer configuration', async () => {
    const { dispatch, idle, called, started } = aDispatcher();
    dispatch({ do: 'Start', kind: 'AWSApplicationLoadBalancerConfig', key });
    await idle();
    expect(called).toEqual(['wake load-balancer/default/web']);
    expect(started[0]).toMatchObject({ type: 'loadBalancerConfig', options: { args: [{ key }] } });
  });

  it('tells the writers of one name for two load balancers apart', async () => {
    const { dispatch, idle, called } = aDispatcher();
    dispatch({ do: 'Start', kind: 'AWSApplicationLoadBalancerConfig', key });
    dispatch({ do: 'Start', kind: 'AWSNetworkLoadBalancerConfig', key });
    await idle();
    expect(called).toEqual(['wake load-balancer/default/web', 'wake network-load-balancer/default/web']);
  });

  it('has a listener watched, once for all objects that name it, and at the interval of now', async () => {
    const { dispatch, idle, called, started } = aDispatcher();
    dispatch({ do: 'Watch', type: 'AWSNetworkLoadBalancer', place: 'arn' });
    dispatch({ do: 'Watch', type: 'AWSNetworkLoadBalancer', place: 'arn' });
    await idle();
    expect(new Set(called)).toEqual(new Set(['wake drift/arn']));
    expect(started[0]).toMatchObject({
      type: 'driftWatch',
      options: { args: [{ type: 'AWSNetworkLoadBalancer', place: 'arn', intervalSeconds: 60 }] },
    });
  });

  it('starts and signals a workflow of a long name by one id, which Temporal has room for', async () => {
    const { dispatch, idle, called } = aDispatcher();
    const long = { namespace: 'n'.repeat(63), name: 'o'.repeat(253) };
    dispatch({ do: 'Start', kind: 'AWSTargetGroupBinding', key: long });
    dispatch({
      do: 'Signal',
      workflowId: objectWorkflowId('AWSTargetGroupBinding', long),
      signal: 'changed',
    });
    await idle();
    const id = temporalId(objectWorkflowId('AWSTargetGroupBinding', long));
    expect(id.length).toBeLessThanOrEqual(255);
    expect(called).toEqual([`wake ${id}`, `signal ${id} changed`]);
  });

  it('does not mind that there is no workflow to signal', async () => {
    const { dispatch, idle, called } = aDispatcher(
      new WorkflowNotFoundError('gone', 'cell/default/web', undefined),
    );
    dispatch({ do: 'Signal', workflowId: 'cell/default/web', signal: 'changed' });
    await idle();
    expect(called).toEqual(['signal cell/default/web changed']);
  });

  it('tries again while Temporal is away, and loses nothing', async () => {
    const { dispatch, idle, called } = aDispatcher(away(), away(), away());
    dispatch({ do: 'Signal', workflowId: 'cell/default/web', signal: 'analysisFinished' });
    dispatch({ do: 'Start', kind: 'Cell', key });
    await idle();
    expect(called.filter((name) => name.startsWith('wake')).length).toBeGreaterThanOrEqual(2);
    expect(called).toHaveLength(5);
  });

  it('tries again what Temporal refuses, ever more seldom, and says what to do', async () => {
    const lacks = refusal('Namespace prod.a1b2c has no mapping defined for search attribute OkraKind');
    const { dispatch, idle, called, slept, said } = aDispatcher(...Array.from({ length: 9 }, () => lacks));
    dispatch({ do: 'Start', kind: 'Cell', key });
    await idle();
    expect(called).toHaveLength(10);
    expect(Math.max(...slept)).toBeGreaterThan(20_000);
    const errors = said.filter(({ msg }) => msg.includes('no mapping defined for search attribute OkraKind'));
    expect(errors).toHaveLength(1);
    expect(errors[0]?.msg).toContain(
      'temporal operator search-attribute create --namespace prod.a1b2c --name OkraKind --type Keyword',
    );
    expect(errors[0]?.msg).toContain('tcld namespace search-attributes add --namespace prod.a1b2c');
  });

  it('makes one message of many that say the same', async () => {
    const { dispatch, idle, called, pending } = aDispatcher(away());
    for (let n = 0; n < 1000; n += 1) dispatch({ do: 'Start', kind: 'Cell', key });
    expect(pending()).toBe(1);
    await idle();
    expect(called).toEqual(['wake cell/default/web', 'wake cell/default/web']);
  });

  it('keeps different signals to one workflow apart', async () => {
    const { dispatch, idle, called } = aDispatcher();
    dispatch({ do: 'Signal', workflowId: 'cell/default/web', signal: 'changed' });
    dispatch({ do: 'Signal', workflowId: 'cell/default/web', signal: 'analysisFinished' });
    await idle();
    expect(called).toEqual(['signal cell/default/web changed', 'signal cell/default/web analysisFinished']);
  });
});
