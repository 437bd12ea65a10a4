import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  onTestFinished,
} from 'vitest';
import { createLog } from '../../clients/log.ts';
import { credentialsChanged } from '../../clients/temporal/temporal-connection.ts';
import { connectTemporal, type Temporal } from '../../clients/temporal/temporal.ts';
import { runWorkers } from '../../clients/temporal/temporal-workers.ts';
import type { TemporalConfig } from '../../config/config.ts';
import { writeCertificates } from '../../local/workload-cluster.ts';
import { openFront, refusals, type Front, type FrontCall, type FrontTls } from '../support/temporal/front.ts';
import { quietRuntime } from '../support/temporal/runtime.ts';
import { until } from '../support/until.ts';

const stack = inject('stack');
const log = createLog('silent');

let dir: string;
beforeAll(async () => {
  quietRuntime();
  dir = await mkdtemp(join(tmpdir(), 'okra-credentials-'));
  const python = stack.binaries['moto'] ?? '';
  await Promise.all(['old', 'new'].map((name) => writeCertificates(python, join(dir, name))));
});
afterAll(() => rm(dir, { recursive: true }));

const pem = (name: string): Promise<string> => readFile(join(dir, name), 'utf8');

/** What is used of a worker, and of a connection for calls, over one front. */
interface Running {
  readonly temporal: Temporal;
  readonly reasons: (string | undefined)[];
  readonly end: () => Promise<void>;
}

async function run(config: TemporalConfig, taskQueue: string): Promise<Running> {
  const stop = new AbortController();
  const reasons: (string | undefined)[] = [];
  const ended = runWorkers(
    async (connection) => [
      await Worker.create({
        connection,
        taskQueue,
        identity: 'me',
        activities: { echo: (text: string) => Promise.resolve(text) },
        workflowsPath: join(import.meta.dirname, '../support/temporal/workflows.ts'),
        maxHeartbeatThrottleInterval: '200ms',
      }),
    ],
    {
      temporal: config,
      poller: {
        namespace: 'default',
        identity: 'me',
        queues: [{ taskQueue, types: ['workflow', 'activity'] }],
      },
      log,
      signal: stop.signal,
      waiting: (reason) => void reasons.push(reason),
    },
  );
  const temporal = await connectTemporal({ temporal: config, identity: 'me' }, { log });
  await until('the worker to poll', async () => reasons.at(-1) === undefined && reasons.length > 0);
  return {
    temporal,
    reasons,
    end: async () => {
      stop.abort();
      await ended;
      await temporal.connection.close();
    },
  };
}

let front: Front;
let running: Running;
let runs = 0;
const taskQueue = (): string => `credentials-${process.pid}-${runs}`;
beforeEach(() => void (runs += 1));
afterEach(async () => {
  await running.end();
  await front[Symbol.asyncDispose]();
});

const idOf = (name: string): string => `${taskQueue()}-${name}`;

async function start(name: string): Promise<void> {
  const options = { workflowId: idOf(name), taskQueue: taskQueue(), args: [name] };
  await running.temporal.client.workflow.start('echoes', options);
}

const resultOf = (name: string): Promise<unknown> =>
  running.temporal.client.workflow.getHandle(idOf(name)).result();

/** The last call of a method. */
const last = (method: string): FrontCall | undefined =>
  front.calls.findLast((call) => call.method === method);

/** Waits until the files have other credentials that Temporal accepts, and begins with them as a process does that is started again. */
async function beginAnew(config: TemporalConfig, change: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const changed = credentialsChanged(config, { log, signal: stop.signal, everyMilliseconds: 50 });
  await setTimeout(200);
  await change();
  expect(await changed).toBe(true);
  await running.end();
  running = await run(config, taskQueue());
}

describe('an API key in a file', () => {
  it('is taken up once another is written that Temporal accepts', async () => {
    const path = join(dir, 'key');
    await writeFile(path, 'first\n');
    front = await openFront(stack.temporal.address);
    const valid = new Set(['first']);
    front.refuse = ({ authorization = '' }) =>
      valid.has(authorization.replace('Bearer ', '')) ? undefined : refusals.unauthenticated;
    const config = { address: front.address, namespace: 'default', apiKey: { path } };
    running = await run(config, taskQueue());
    await beginAnew(config, async () => {
      await writeFile(path, 'second\n');
      valid.add('second');
    });
    valid.delete('first');
    await start('after');
    expect(await resultOf('after')).toBe('after');
    expect(last('StartWorkflowExecution')?.authorization).toBe('Bearer second');
  });
});

describe('the certificate of a client', () => {
  it('is taken up once another is written with its key', async () => {
    const serialOf = async (name: string): Promise<string> =>
      new X509Certificate(await pem(`${name}/client.crt`)).serialNumber;
    const [oldSerial, newSerial] = [await serialOf('old'), await serialOf('new')];
    const paths = { certificate: join(dir, 'tls.crt'), key: join(dir, 'tls.key') };
    const use = async (name: string): Promise<void> => {
      await writeFile(paths.certificate, await pem(`${name}/client.crt`));
      await writeFile(paths.key, await pem(`${name}/client.key`));
    };
    await use('old');
    const tls: FrontTls = {
      key: await pem('old/server.key'),
      cert: await pem('old/server.crt'),
      clients: [oldSerial, newSerial],
    };
    front = await openFront(stack.temporal.address, tls);
    const client = { certificate: { path: paths.certificate }, key: { path: paths.key } };
    const config = {
      address: front.address,
      namespace: 'default',
      tls: { serverCa: { path: join(dir, 'old/ca.crt') }, client },
    };
    running = await run(config, taskQueue());
    await start('before');
    expect(await resultOf('before')).toBe('before');
    expect(last('StartWorkflowExecution')?.certificate).toBe(oldSerial);
    await beginAnew(config, () => use('new'));
    front.trust([newSerial]);
    await start('after');
    expect(await resultOf('after')).toBe('after');
    expect(last('StartWorkflowExecution')?.certificate).toBe(newSerial);
  });
});
