import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { until } from '../../test/support/until.ts';
import { aCell, paused } from '../okractl/testing/objects.ts';
import { openDashboard } from './of-person.ts';
import { aWorld, type World, type WorldOptions } from './testing/world.ts';
import type { Me } from './calls.ts';
import type { CellPage } from './cell-page.ts';
import type { Head } from './feeds.ts';
import type { CellRow } from './rows.ts';

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

interface Page extends World {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly failures: unknown[];
}

async function open(options: WorldOptions = {}): Promise<Page> {
  const world = aWorld({ objects: [aCell(paused)], ...options });
  const stop = new AbortController();
  const failures: unknown[] = [];
  const { url, close } = await openDashboard({
    session: world.session,
    namespace: undefined,
    port: 0,
    version: '1.2.3',
    now: Date.now,
    signal: stop.signal,
    failed: (error) => failures.push(error),
  });
  opened.push(async () => {
    stop.abort();
    await close();
  });
  const [base = '', key = ''] = url.split('/#key=');
  return { ...world, base, failures, headers: { 'X-Okra-Dashboard': '1', Authorization: `Bearer ${key}` } };
}

interface Told {
  readonly events: readonly { readonly event: string; readonly data: unknown }[];
  readonly last: <T>(event: string) => T | undefined;
}

/** Follows a stream, as far as it is told. */
async function follow({ base, headers }: Page, query: string): Promise<Told> {
  const leaving = new AbortController();
  opened.unshift(() => Promise.resolve(leaving.abort()));
  const response = await fetch(`${base}/api/stream?${query}`, { headers, signal: leaving.signal });
  expect(response.status).toBe(200);
  const events: { event: string; data: unknown }[] = [];
  void (async () => {
    let text = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      const whole = text.split('\n\n');
      text = whole.pop()!;
      for (const one of whole) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(one) ?? [];
        if (event !== undefined && data !== undefined) events.push({ event, data: JSON.parse(data) });
      }
    }
  })().catch(() => undefined);
  return {
    events,
    last: <T>(event: string) => events.findLast((one) => one.event === event)?.data as T | undefined,
  };
}

const ask = (page: Page, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${page.base}/api/ask`, {
    method: 'POST',
    headers: { ...page.headers, Origin: page.base, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const pause = { namespace: 'default', name: 'web', request: 'pause', reason: 'errors in checkout' };

describe('the page', () => {
  it('says what to do where its port is taken', async () => {
    const { base, session } = await open();
    const port = Number(new URL(base).port);
    const signal = AbortSignal.abort();
    const options = { session, namespace: undefined, port, version: '1', now: Date.now, signal };
    await expect(openDashboard({ ...options, failed: () => undefined })).rejects.toThrow(
      `cannot listen on port ${port} of 127.0.0.1`,
    );
  });

  it('comes with all that it loads, and lets nothing of elsewhere in', async () => {
    const { base } = await open();
    const response = await fetch(base);
    const html = await response.text();
    expect(html).not.toMatch(/<script(?! type="module" src="\/)|<style|\son\w+=/);
    const policy = response.headers.get('content-security-policy');
    expect(policy?.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'none'",
      ]),
    );
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const loaded = new Set(['/page.mjs', '/page.css', '/icon.svg']);
    for (const path of loaded) {
      const asset = await fetch(base + path);
      expect([path, asset.status]).toEqual([path, 200]);
      const text = await asset.text();
      for (const [, specifier = ''] of text.matchAll(/(?:from|import) ?["']([./][^"']+\.m?js)["']/g))
        loaded.add(new URL(specifier, base + path).pathname);
    }
    expect(loaded.size).toBeGreaterThan(12);
  });

  it.each([
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/lit-html/../../package.json',
    '/page.mjs/',
    '//evil.example/',
    '/assets',
  ])('has no file at %s', async (path) => {
    const { base } = await open();
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(head.toString()).toMatch(/^HTTP\/1.1 40[04] /);
  });

  it('says to a load balancer that it serves, which asks by the address of the pod, and to nobody else by that name', async () => {
    const { base } = await open();
    const asked = async (path: string): Promise<string> => {
      const socket = connect(Number(new URL(base).port), '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 10.0.0.7:8090\r\nConnection: close\r\n\r\n`);
      const [head] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return head.toString().split('\r\n')[0]!;
    };
    expect(await asked('/healthz')).toBe('HTTP/1.1 200 OK');
    for (const path of ['/', '/api/me', '/healthz/x'])
      expect(await asked(path)).toBe('HTTP/1.1 421 Misdirected Request');
  });

  it('tells what changes to those who look, and nothing twice', async () => {
    const page = await open();
    const told = await follow(page, 'view=cells');
    await until('the first rows', async () => told.last('rows') !== undefined);
    expect(told.last<{ changed: CellRow[] }>('rows')?.changed).toMatchObject([
      { key: 'default/web', phase: 'Paused' },
    ]);
    page.put({ ...aCell(paused), metadata: { name: 'api', namespace: 'default' } });
    page.put(aCell({ ...paused, phase: 'Progressing' }));
    await until('the change', async () => JSON.stringify(told.events).includes('Progressing'));
    const rows = told.events.filter(({ event }) => event === 'rows');
    expect(rows).toHaveLength(2);
    expect(rows[1]?.data).toMatchObject({
      changed: [{ key: 'default/web' }, { key: 'default/api' }],
      gone: [],
    });
  });

  it('shows a Cell with what the person may ask for', async () => {
    const page = await open({ allowed: ({ verb }) => verb !== 'abort' });
    const told = await follow(page, 'view=cell&namespace=default&name=web');
    const offers = () => told.last<CellPage>('cell')?.offers ?? [];
    await until(
      'the rights',
      async () => offers().length > 0 && offers().every(({ may }) => may !== 'Unknown'),
    );
    expect(offers().map(({ name, may }) => [name, may])).toEqual([
      ['pause', 'Yes'],
      ['resume', 'Yes'],
      ['promote', 'Yes'],
      ['promoteFull', 'Yes'],
      ['abort', 'No'],
    ]);
    const none = await follow(page, 'view=cell&namespace=default&name=none');
    await until('the answer', async () => none.last('cell') !== undefined);
    expect(none.last('cell')).toEqual({ isDeleted: true });
  });

  it('takes for refused only what Kubernetes has refused, and asks it again before anything is sent', async () => {
    const answers: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
      pause: () => false,
      promote: () => Promise.reject(new Error('HTTP 500')),
      abort: () => new Promise(() => undefined),
    };
    let isWell = false;
    const page = await open({
      allowed: ({ verb }) => (isWell ? verb !== 'promote' : (answers[verb]?.() ?? true)),
    });
    const told = await follow(page, 'view=cell&namespace=default&name=web');
    const offers = () => told.last<CellPage>('cell')?.offers ?? [];
    await until('the rights', async () => offers().filter(({ may }) => may !== 'Unknown').length === 3);
    expect(offers().map(({ name, may }) => [name, may])).toEqual([
      ['pause', 'No'],
      ['resume', 'Yes'],
      ['promote', 'Unknown'],
      ['promoteFull', 'Yes'],
      ['abort', 'Unknown'],
    ]);
    expect((await ask(page, { ...pause, request: 'promote' })).status).toBe(502);
    isWell = true;
    expect((await ask(page, { ...pause, request: 'promote' })).status).toBe(409);
    expect(page.sent).toEqual([]);
    expect((await ask(page, { ...pause, request: 'abort' })).status).toBe(200);
    expect(page.sent).toMatchObject([{ name: 'abort' }]);
  });

  it('shows a Cell while Temporal does not answer, and says so', async () => {
    const page = await open({ weights: () => new Promise(() => undefined) });
    const told = await follow(page, 'view=cell&namespace=default&name=web');
    await until('the Cell', async () => told.last('cell') !== undefined);
    expect(told.last<CellPage>('cell')?.chart?.note).toMatch(/could not be read: no answer yet$/);
  });

  it('sends a request in the name of the person, with the reason as it was written', async () => {
    const page = await open();
    const reason = `<script>alert(1)</script>"'`;
    const response = await ask(page, { ...pause, reason });
    expect([response.status, await response.json()]).toEqual([
      200,
      { message: 'The rollout of 2.0.0 is paused.' },
    ]);
    expect(page.sent).toEqual([{ workflowId: 'cell/default/web', name: 'pause', by: 'ann', reason }]);
  });

  it('shows a StagedBindingPolicy, and takes requests for its stage by the same rights', async () => {
    const policy = {
      apiVersion: 'community.kubestellar.io/v1alpha1',
      kind: 'StagedBindingPolicy',
      metadata: { name: 'nginx' },
      spec: { stages: [{ name: 'dev' }, { name: 'prod' }] },
      status: { phase: 'Paused', reason: 'WaitingForApproval', activeStage: 'dev' },
    };
    const page = await open({
      objects: [policy],
      allowed: ({ verb, resource }) => resource !== 'stagedbindingpolicies' || verb !== 'abort',
    });
    const told = await follow(page, 'view=policy&name=nginx');
    const shown = () => told.last<CellPage>('cell');
    await until('the rights', async () => shown()?.offers.every(({ may }) => may !== 'Unknown') === true);
    expect(shown()?.offers.map(({ name, may }) => [name, may])).toEqual([
      ['pause', 'Yes'],
      ['promote', 'Yes'],
      ['abort', 'No'],
    ]);
    const asked = { kind: 'StagedBindingPolicy', name: 'nginx', reason: '', seen: shown()?.seen };
    expect((await ask(page, { ...asked, request: 'abort' })).status).toBe(409);
    expect((await ask(page, { ...asked, request: 'approve' })).status).toBe(400);
    expect((await ask(page, { ...asked, request: 'promote' })).status).toBe(200);
    expect(page.sent).toEqual([
      { workflowId: 'staged-binding-policy/nginx', name: 'promote', by: 'ann', reason: '', stage: 'dev' },
    ]);
    const list = await follow(page, 'view=cells');
    await until('the row', async () => list.last('rows') !== undefined);
    expect(list.last('rows')).toMatchObject({ changed: [{ key: 'nginx', heading: 'Needs a person' }] });
  });

  it('sends with a request what was shown, so that nothing is allowed to continue that nobody has looked at', async () => {
    const page = await open();
    const told = await follow(page, 'view=cell&namespace=default&name=web');
    await until('the Cell', async () => told.last('cell') !== undefined);
    const { seen } = told.last<CellPage>('cell')!;
    await ask(page, { ...pause, request: 'promote', seen });
    expect(page.sent).toMatchObject([{ name: 'promote', version: '2.0.0', step: 2, paused: false }]);
  });

  it('tells what a Cell is called and says as data, whatever it is', async () => {
    const name = '<img src=x onerror=alert(1)>';
    const page = await open({
      objects: [
        {
          ...aCell({ ...paused, message: `${name}\n\nevent: head\ndata: {}\u202E\u2066` }),
          metadata: { name: `${name}\u202E`, namespace: 'default' },
        },
      ],
    });
    const told = await follow(page, 'view=cells');
    await until('the row', async () => told.last('rows') !== undefined);
    expect(told.last<{ changed: CellRow[] }>('rows')?.changed[0]).toMatchObject({
      name,
      message: `${name} event: head data: {}`,
    });
    expect(
      told.events.filter(({ event }) => event === 'head').map(({ data }) => Object.keys(data as Head)),
    ).not.toContainEqual([]);
  });
});

describe('whoever is not the person', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['without the key', { Authorization: '' }],
    ['with another key', { Authorization: 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['with something else as the key', { Authorization: 'Basic YTpi' }],
  ])('sees and does nothing %s', async (_, headers) => {
    const page = await open();
    const stream = await fetch(`${page.base}/api/stream?view=cells`, {
      headers: { ...page.headers, ...headers },
    });
    expect([stream.status, (await ask(page, pause, headers)).status]).toEqual([401, 401]);
    const me = await fetch(`${page.base}/api/me`, { headers: { ...page.headers, ...headers } });
    expect(await me.json()).toEqual({
      version: '1.2.3',
      canLogIn: false,
      mayAct: false,
      isIn: false,
    } satisfies Me);
    expect(page.sent).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ['of another origin', { Origin: 'http://evil.example' }, 403],
    ['of another port', { Origin: 'http://127.0.0.1:1' }, 403],
    ['by a form', { 'Content-Type': 'text/plain' }, 415],
    ['without the mark of the page', { 'X-Okra-Dashboard': '' }, 403],
  ])('does nothing %s', async (_, headers, status) => {
    const page = await open();
    const given = Object.fromEntries(
      Object.entries({
        ...page.headers,
        Origin: page.base,
        'Content-Type': 'application/json',
        ...headers,
      }).filter(([, value]) => value !== ''),
    );
    const response = await fetch(`${page.base}/api/ask`, {
      method: 'POST',
      headers: given,
      body: JSON.stringify(pause),
    });
    expect([response.status, page.sent]).toEqual([status, []]);
  });

  it('does nothing that Kubernetes does not let them', async () => {
    const page = await open({ allowed: ({ verb }) => verb === 'get' || verb === 'list' });
    const response = await ask(page, pause);
    expect([response.status, page.sent]).toEqual([409, []]);
    expect(await response.text()).toContain('verb pause of cells.okra.mumo.co');
  });

  it.each<[string, object]>([
    ['another request', { ...pause, request: 'constructor' }],
    ['a Cell of no possible name', { ...pause, name: '../default/web' }],
    ['a reason without an end', { ...pause, reason: 'r'.repeat(1025) }],
    ['something else', []],
  ])('is refused what is %s', async (_, body) => {
    const page = await open();
    expect([(await ask(page, body)).status, page.sent]).toEqual([400, []]);
  });

  it('is not heard out when they do not end', async () => {
    const page = await open();
    const response = await ask(page, { ...pause, reason: 'r'.repeat(100_000) });
    expect([response.status, page.sent]).toEqual([413, []]);
  });
});

describe('a page under load', () => {
  const many = Array.from({ length: 2000 }, (_, at) => ({
    ...aCell(paused),
    metadata: { name: `cell-${at}`, namespace: 'default' },
  }));

  it('shows 2,000 Cells, and tells of one change what has changed', async () => {
    const page = await open({ objects: many });
    const told = await follow(page, 'view=cells');
    const rows = (): number[] =>
      told.events.flatMap(({ event, data }) =>
        event === 'rows' ? [(data as { changed: CellRow[] }).changed.length] : [],
      );
    await until('all rows', async () => rows().reduce((sum, one) => sum + one, 0) === 2000);
    // Whoever does not read holds no more than that.
    expect(rows()).toEqual([500, 500, 500, 500]);
    page.put({ ...many[7]!, status: { ...paused, phase: 'Progressing' } } as (typeof many)[0]);
    await until('the change', async () => told.last<{ changed: CellRow[] }>('rows')?.changed.length === 1);
    expect(told.last<{ changed: CellRow[] }>('rows')?.changed).toMatchObject([
      { key: 'default/cell-7', phase: 'Progressing' },
    ]);
  });

  it('says that the page of a Cell cannot be made, until it can', async () => {
    const page = await open({ objects: [aCell({ ...paused, requests: 7 as never })] });
    const told = await follow(page, 'view=cell&namespace=default&name=web');
    const troubles = () => told.last<Head>('head')?.troubles ?? [];
    await until('the trouble', async () => troubles().length > 0);
    expect(troubles()).toEqual([expect.stringMatching(/^Cell default\/web may be stale: .*map/)]);
    page.put(aCell(paused));
    await until('its end', async () => told.last('cell') !== undefined && troubles().length === 0);
  });

  it.each<[number, readonly string[]]>([
    [500, ['Events, Measurements may be stale: no answer in time']],
    // What a person may not read is left out.
    [403, []],
  ])(
    'says what of the page of a Cell cannot be read, where the API server answers %i',
    async (status, said) => {
      const failure = new KubernetesError({
        status,
        reason: status === 403 ? 'Forbidden' : 'Unknown',
        message: 'no answer in time',
      });
      const measured = { name: 'dd', phase: 'Running', message: '' } as const;
      const page = await open({
        objects: [aCell({ ...paused, check: measured })],
        list: () => Promise.reject(failure),
      });
      const told = await follow(page, 'view=cell&namespace=default&name=web');
      await until('the page', async () => told.last('cell') !== undefined);
      const rowsOf = (title: string) =>
        told.last<CellPage>('cell')!.tables.find((table) => table.title === title)?.rows;
      await until('the verdict', async () => rowsOf('Analyses')?.length === 1);
      expect(rowsOf('Analyses')).toEqual([['Check dd', '', '', { text: 'Running', tone: 'Moving' }, '']]);
      expect(rowsOf('Events')).toEqual([]);
      await until(
        'what is said',
        async () => (told.last<Head>('head')?.troubles.length ?? 0) === said.length,
      );
      expect(told.last<Head>('head')?.troubles).toEqual(said);
    },
  );

  it('says what may be old while the API server does not answer', async () => {
    const page = await open({ snapshot: () => Promise.reject(new Error('no answer in time')) });
    const told = await follow(page, 'view=cells');
    await until('the trouble', async () => (told.last<Head>('head')?.troubles.length ?? 0) > 0);
    expect(told.last<Head>('head')?.troubles[0]).toMatch(/may be stale: no answer in time/);
    const response = await ask(page, pause);
    expect(response.status).toBe(200);
  });
});
