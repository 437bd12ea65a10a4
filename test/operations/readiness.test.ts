import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { startOkrad, type Okrad } from '../../local/okrad.ts';
import { reservePorts } from '../../local/ports.ts';
import { openFront, refusals, type Front } from '../support/temporal/front.ts';
import { createNamespace, temporal } from '../support/temporal/namespace.ts';
import { until } from '../support/until.ts';

const stack = inject('stack');
const ports = reservePorts();
afterAll(() => ports.release());

let front: Front;
let okrad: Okrad | undefined;
let port: number;
let queue: string;
beforeAll(async () => {
  port = await ports.reserve();
});
beforeEach(async () => {
  queue = `ready-${randomUUID().slice(0, 8)}`;
  front = await openFront(stack.temporal.address);
});
afterEach(async () => {
  await okrad?.end('SIGTERM');
  await front[Symbol.asyncDispose]();
});

/** Starts okrad behind the front; both parts, unless one is named. */
function start(environment: Readonly<Record<string, string>> = {}, components?: 'worker'): void {
  okrad = startOkrad({
    log: join(stack.logs, `okrad-${queue}.log`),
    program: stack.built.okrad,
    ...(components === undefined ? {} : { components }),
    environment: {
      ...stack.environment,
      TEMPORAL_ADDRESS: front.address,
      OKRA_TASK_QUEUE: queue,
      OKRA_LEASE_NAME: queue,
      OKRA_WATCH_NAMESPACE: queue,
      OKRA_HEALTH_PORT: String(port),
      ...environment,
    },
  });
}

async function ask(path: '/healthz' | '/readyz'): Promise<{ status: number; text: string } | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return response === undefined ? undefined : { status: response.status, text: await response.text() };
}

const untilReady = async (): Promise<void> =>
  void (await until('okrad to be ready', async () => (await ask('/readyz'))?.status === 200, {
    seen: () => ask('/readyz'),
  }));

/** Waits until okrad says that it is not ready for a reason. */
const untilWaiting = (pattern: RegExp): Promise<string> =>
  until(
    `okrad to wait for ${pattern}`,
    async () => {
      const answer = await ask('/readyz');
      return answer?.status === 503 && pattern.test(answer.text) && answer.text;
    },
    { seen: () => ask('/readyz') },
  );

describe('okrad', () => {
  it('is ready when Temporal has seen both workers poll, and not before', async () => {
    const ofElbv2 = Buffer.from(`${queue}-elbv2`);
    front.refuse = ({ method, body }) =>
      method === 'PollActivityTaskQueue' && body.includes(ofElbv2) ? refusals.unavailable : undefined;
    start();
    await until('a poll of the second queue', async () =>
      front.calls.some(({ method, body }) => method === 'PollActivityTaskQueue' && body.includes(ofElbv2)),
    );
    await untilWaiting(
      /^waiting for worker, polls: .* poll \S+-elbv2 \(activity tasks\)(, \S+ \(activity tasks\))*\.\n$/,
    );
    expect((await ask('/healthz'))?.status).toBe(200);
    front.refuse = () => undefined;
    await untilReady();
  });

  it('is ready no more when Temporal is lost, lives on, and is ready again when it comes back', async () => {
    start();
    await untilReady();
    await front.cut();
    await untilWaiting(/watchers, temporal: [^]*worker, polls: /);
    expect((await ask('/healthz'))?.status).toBe(200);
    await front.mend();
    await untilReady();
    expect(okrad?.pid()).toBeDefined();
  });

  it('says what to run where it may not add the search attributes, and starts nothing before', async () => {
    const namespace = await createNamespace(stack);
    front.refuse = ({ method }) => (method.endsWith('SearchAttributes') ? refusals.unauthorized : undefined);
    start({ TEMPORAL_NAMESPACE: namespace });
    const text = await untilWaiting(
      /watchers, temporal: .*search attributes[^]*worker, temporal: .*search attributes/,
    );
    expect((await ask('/healthz'))?.status).toBe(200);
    expect(front.calls.some(({ method }) => /^Poll|^Start|^Signal/.test(method))).toBe(false);
    const [command = ''] = /temporal operator search-attribute create[^`]*/.exec(text) ?? [];
    await temporal(stack, command);
    await untilReady();
  });
});
