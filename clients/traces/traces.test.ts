import { InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { activityTraces } from '../temporal/activity-metrics.ts';
import { noTraces, openTraces } from './traces.ts';

const RUN = '0f8fad5b-d9cb-469f-a165-70867728950e';
const TRACE = '0f8fad5bd9cb469fa16570867728950e';
const nowhere = { endpoint: 'http://127.0.0.1:1', version: '1.2.3' };

const info = {
  activityType: 'shiftTraffic',
  activityId: '7',
  attempt: 1,
  taskQueue: 'okra-elbv2',
  workflowType: 'cellRollout',
  workflowExecution: { workflowId: 'cell/default/web', runId: RUN },
};

/** Runs an activity through the interceptor. */
function execute(traces: Parameters<typeof activityTraces>[0], of: object, run: () => Promise<unknown>) {
  const { inbound } = activityTraces(traces)({ info: of } as never);
  return inbound?.execute?.({ args: [], headers: {} }, run);
}

describe('traces', () => {
  it('have an activity, and what it asks AWS, in the trace of the run of its workflow', async () => {
    const exporter = new InMemorySpanExporter();
    const traces = await openTraces({ ...nowhere, exporter: keeping(exporter) });
    const part = { name: 'ELBv2 ModifyRule', attributes: { region: 'eu-central-1' } };
    const answer = await execute(traces, info, () => traces.part(part, () => Promise.resolve('done')));
    expect(answer).toBe('done');
    await traces.end();
    const [call, activity] = exporter.getFinishedSpans();
    expect(activity).toMatchObject({
      name: 'shiftTraffic',
      attributes: { 'temporal.workflow.id': 'cell/default/web', 'temporal.workflow.run_id': RUN },
    });
    expect([call, activity].map((span) => span?.spanContext().traceId)).toEqual([TRACE, TRACE]);
    expect(call?.parentSpanContext?.spanId).toBe(activity?.spanContext().spanId);
  });

  it('say that something has failed, and throw what it threw', async () => {
    const exporter = new InMemorySpanExporter();
    const traces = await openTraces({ ...nowhere, exporter: keeping(exporter) });
    const failing = execute(traces, info, () => Promise.reject(new RangeError('secret')));
    await expect(failing).rejects.toThrow(RangeError);
    await traces.end();
    expect(exporter.getFinishedSpans()[0]?.status).toEqual({ code: 2, message: 'RangeError' });
  });

  it('do not tell of what belongs to nothing', async () => {
    const exporter = new InMemorySpanExporter();
    const traces = await openTraces({ ...nowhere, exporter: keeping(exporter) });
    await traces.part({ name: 'ELBv2 DescribeRules', attributes: {} }, () => Promise.resolve());
    await execute(traces, { ...info, workflowExecution: undefined }, () => Promise.resolve());
    await traces.end();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('are sent by OTLP to the endpoint, as okrad', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = request.url ?? '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
      request.on('end', () => {
        bodies.push(body);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const traces = await openTraces({ endpoint, version: '1.2.3' });
    await execute(traces, info, () => Promise.resolve());
    await traces.end();
    server.close();
    expect(bodies.join('\n')).toMatch(/^\/v1\/traces[^]*okrad[^]*1\.2\.3[^]*shiftTraffic/);
  });

  it('hold nothing up when nobody takes them', async () => {
    const traces = await openTraces({ ...nowhere, endMilliseconds: 50 });
    expect(await execute(traces, info, () => Promise.resolve(1))).toBe(1);
    await traces.end();
  });

  it('are not told of unless someone wants them', async () => {
    expect(await execute(noTraces, info, () => Promise.resolve(1))).toBe(1);
  });
});

/** An exporter that forgets nothing when it ends. */
const keeping = (exporter: InMemorySpanExporter): InMemorySpanExporter =>
  Object.assign(exporter, { shutdown: () => Promise.resolve() });
