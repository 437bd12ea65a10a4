import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { askDatadog } from '../../clients/datadog/queries.ts';
import { serveDatadog } from '../../local/datadog/server.ts';
import { startOkrad } from '../../local/okrad.ts';
import { reservePorts } from '../../local/ports.ts';
import { fetchLowestNode } from '../support/lowest-node.ts';
import { builtModule } from '../support/package.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

const waitingCell = `
apiVersion: okra.mumo.co/v1alpha1
kind: Cell
metadata: { name: web }
spec:
  ingress:
    type: AWSApplicationLoadBalancer
    awsApplicationLoadBalancer:
      listenerARN: arn:aws:elasticloadbalancing:us-east-1:123456789012:listener/app/web/0123456789abcdef/0123456789abcdef
      listener: { rule: { hosts: [web.example.com], priority: 10, forward: {} } }
      targetGroupSelector: { matchLabels: { role: web } }
  replicas: 1
  updateStrategy: { type: Canary, canary: { steps: [{ setWeight: 20 }] } }
`;

describe('the package', () => {
  const stack = inject('stack');
  const namespace = `package-${process.pid}-${Date.now().toString(36)}`;
  let dir: string;
  const kubectl = (...args: string[]): Promise<unknown> =>
    run(stack.binaries.kubectl, args, { env: { ...process.env, ...stack.environment } });
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'okra-package-'));
    await kubectl('create', 'namespace', namespace);
  });
  afterAll(async () => {
    await kubectl('delete', 'namespace', namespace, '--wait=false');
    await rm(dir, { recursive: true });
  });

  /** Asks as the tab Call Stack of the Web UI does. */
  async function stackTraceOf(workflowId: string): Promise<string> {
    const connection = await Connection.connect({ address: stack.temporal.address });
    try {
      const { workflow } = new Client({ connection, namespace: stack.temporal.namespace });
      return await workflow.getHandle(workflowId).query<string>('__stack_trace');
    } finally {
      await connection.close();
    }
  }

  it('starts in an empty folder, with its own workflows, on the lowest Node.js of engines', async () => {
    const { folder } = stack.built;
    const node = await fetchLowestNode();
    const empty = join(dir, 'empty');
    await mkdir(empty);
    const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      readonly bin: { readonly okrad: string; readonly okractl: string; readonly okra: string };
    };
    const ports = reservePorts();
    const port = await ports.reserve();
    const environment = {
      ...stack.environment,
      OKRA_WATCH_NAMESPACE: namespace,
      OKRA_LEASE_NAMESPACE: namespace,
      OKRA_TASK_QUEUE: namespace,
      OKRA_HEALTH_PORT: String(port),
    };
    const log = join(dir, 'okrad.log');
    const okrad = startOkrad({ environment, log, node, program: join(folder, bin.okrad), cwd: empty });
    try {
      await until(
        'okrad to be ready',
        () =>
          fetch(`http://127.0.0.1:${port}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        { seen: () => readFile(log, 'utf8') },
      );
      await writeFile(join(dir, 'cell.yaml'), waitingCell);
      await kubectl('apply', '-n', namespace, '-f', join(dir, 'cell.yaml'));
      await kubectl(
        'wait',
        '-n',
        namespace,
        'cell/web',
        '--for=jsonpath={.status.phase}=Waiting',
        '--timeout=30s',
      );
      await expect(stackTraceOf(`cell/${namespace}/web`)).resolves.toMatch(/workflows\/[\w-]+\.ts:\d+/);
    } finally {
      await okrad.end('SIGTERM');
      await ports.release();
    }
    const okractl = join(folder, bin.okractl);
    const { stdout } = await run(node, [okractl, 'get', 'cells', '-n', namespace, '-o', 'json'], {
      cwd: empty,
      env: { ...process.env, ...stack.environment },
    });
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'List', items: [{ metadata: { name: 'web' } }] });
    // What it syncs with is loaded only then.
    const okra = [join(folder, bin.okra), 'sync', 'clusterset', 'none', '-n', namespace];
    const env = { ...process.env, ...stack.environment };
    await expect(run(node, okra, { cwd: empty, env })).rejects.toMatchObject({
      code: 1,
      stderr: `okra: ClusterSet ${namespace}/none not found.\n`,
    });
  });

  it('says in stack traces where in the sources it is', async () => {
    const log = join(dir, 'failing.log');
    const environment = {
      ...stack.environment,
      OKRA_WATCH_NAMESPACE: namespace,
      OKRA_TASK_QUEUE: `${namespace}-failing`,
      OKRA_WORKFLOW_BUNDLE: join(dir, 'none.js'),
    };
    const program = stack.built.okrad;
    await using _ = startOkrad({ environment, log, program, components: 'worker', cwd: dir });
    const said = await until('okrad to fail', async () => {
      const text = await readFile(log, 'utf8').catch(() => '');
      return text.includes('"failed, stopping"') && text;
    });
    expect(said).toMatch(/at async runWorker \([^)]*\/worker\.ts:\d+:\d+\)/);
    // Stack frames of the Temporal SDK name its own files.
    expect(said).toMatch(/at async Worker\.create \([^)]*\/@temporalio\/worker\/lib\/worker\.js[^)]*\)/);
  });

  it('has all that the dashboard serves', async () => {
    const { assetAt } = (await import(builtModule(stack.built, 'cli/dashboard/assets.ts'))) as {
      assetAt: (path: string) => Promise<{ readonly body: Buffer } | undefined>;
    };
    const sizes = await Promise.all(
      ['/', '/page.css', '/page.mjs', '/chart.mjs', '/lit-html/lit-html.js'].map(
        async (path) => (await assetAt(path))?.body.length ?? 0,
      ),
    );
    expect(sizes.map((size) => size > 100)).toEqual(sizes.map(() => true));
  });

  it('asks Datadog', async () => {
    const { askDatadog: ask } = (await import(builtModule(stack.built, 'clients/datadog/queries.ts'))) as {
      readonly askDatadog: typeof askDatadog;
    };
    const keys = { apiKey: 'the-api-key', appKey: 'the-app-key' };
    await using datadog = await serveDatadog(keys);
    datadog.known.set('avg:errors{*}', 1);
    const to = Math.floor(Date.now() / 60_000) * 60_000;
    const query = 'avg:errors{*}';
    const window = { from: to - 120_000, to, bucketMs: 60_000 };
    const answer = await ask(
      { url: datadog.url, ...keys },
      { question: { query }, response: 'Timeseries', aggregator: 'avg', window },
      new AbortController().signal,
    );
    expect(answer).toMatchObject({ is: 'Series', series: [{ points: expect.any(Array) as unknown }] });
    expect(datadog.asked.at(-1)).toMatchObject({ status: 200, query });
  });

  it('is what npm packs, with the kinds', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
    const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    // `npx okractl` runs the program of this name, in a checkout and from the registry.
    expect(filename).toMatch(/^okractl-[0-9.]+\.tgz$/);
    const others = files.map(({ path }) => path).filter((path) => !/^(dist|crds\/manifests)\//.test(path));
    expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'cli/bin/okractl.js', 'package.json']);
  });
});
