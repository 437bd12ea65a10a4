import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDashboard } from '../../cli/dashboard/in-cluster.ts';
import { openDashboard } from '../../cli/dashboard/of-person.ts';
import { sessions } from '../../cli/okractl/session.ts';
import { createLog } from '../../clients/log.ts';
import { loadConfig } from '../../config/config.ts';
import { reservePorts } from '../../local/ports.ts';
import { startChromium } from '../support/browser/chromium.ts';
import { onStage } from '../support/stage/on-stage.ts';
import { peopleOn } from '../support/stage/people.ts';
import type { Stage } from '../support/stage/stage.ts';

describe('the dashboard in a browser', () => {
  let stage: Stage;
  let priority = 0;
  let dir: string;
  let browser: Browser;
  onStage({ totals: [20, 40] }, (opened, free) => {
    stage = opened;
    priority = free;
  });
  const { open, close } = sessions();
  const stop = new AbortController();
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'okra-dashboard-'));
    browser = await startChromium();
  });
  afterAll(async () => {
    stop.abort();
    await browser.close();
    await Promise.all(closing.map((end) => end()));
    await Promise.all([close(), rm(dir, { recursive: true })]);
  });

  /** Serves the page to a person, as `okractl dashboard` does. */
  async function serveTo(kubeconfig: string): Promise<string> {
    const { namespace, stack } = stage;
    const session = open({ kubeconfig, namespace, temporalAddress: stack.temporal.address });
    const { url, close: end } = await openDashboard({
      session,
      namespace,
      port: 0,
      version: '0.0.0',
      now: Date.now,
      signal: stop.signal,
      failed: (error) => problems.push(String(error)),
    });
    closing.push(end);
    return url;
  }

  const problems: string[] = [];

  /** Opens the page; whatever the browser complains about is a problem. */
  async function look(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', ({ message }) => problems.push(message));
    await page.goto(url);
    return page;
  }

  /** Makes a request by keyboard alone. */
  async function askByKeyboard(page: Page, name: string, reason: string): Promise<void> {
    await page.getByRole('button', { name: `${name}…` }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type(reason);
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .filter({ hasText: /rollout|goes/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }

  it('shows a rollout as it goes, and takes requests from those whom Kubernetes lets', async () => {
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    await stage.targetGroups('1.0.0', ['a']);
    const updateStrategy = { type: 'Canary', canary: { steps }, detachAfter: '0s' };
    await stage.apply(stage.cell('web', { priority, spec: { updateStrategy } }));
    await stage.untilPhase('web', 'Completed', '1.0.0');
    const [viewer] = await peopleOn(stage, dir, [{ name: 'viewer', verbs: ['get', 'list', 'watch'] }]);

    const url = await serveTo(stage.stack.kubeconfig);
    const page = await look(url, { viewport: { width: 1100, height: 760 } });
    const row = page.getByRole('listitem').filter({ hasText: 'web' });
    await row.getByText('Completed').waitFor();
    expect(page.url()).not.toContain('key=');

    // Nothing is loaded again from here on.
    await stage.targetGroups('2.0.0', ['b']);
    await row.getByText('Paused').waitFor();
    await row.getByRole('img', { name: 'Observed: 1.0.0 80, 2.0.0 20.' }).waitFor();
    await row.getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'web' }).waitFor();
    await page.getByText('Timeline as a table').click();
    const weights = page.getByRole('region', { name: 'Timeline' }).getByRole('row');
    // Of what was before the page was opened, the history of the workflow tells.
    await weights
      .filter({ hasText: /2\.0\.0 observed\s*20/ })
      .first()
      .waitFor();
    await weights
      .filter({ hasText: /1\.0\.0 observed\s*100/ })
      .first()
      .waitFor();

    // What happened meanwhile stands on the same axis, by the Events of the Cell.
    await weights
      .filter({ hasText: /Gates\s*WaitingForResume/ })
      .first()
      .waitFor();

    await askByKeyboard(page, 'Pause', 'errors <b>in</b> checkout');
    await page.getByText('by admin: errors <b>in</b> checkout').first().waitFor();
    await askByKeyboard(page, 'Resume', 'they were those of the probe');
    // Only then is the next one about the pause step.
    await page.getByText('not paused').waitFor();
    await askByKeyboard(page, 'Resume', 'looks fine');
    await page.getByRole('img', { name: 'Observed: 1.0.0 60, 2.0.0 40.' }).waitFor();
    await page.getByText('Timeline as a table').click();

    const seen = await look(await serveTo(viewer!.kubeconfig), {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    await seen.getByRole('link', { name: 'web' }).click();
    await seen.getByText('You do not have permission to').waitFor();
    expect(await seen.getByRole('button', { name: 'Abort…' }).isDisabled()).toBe(true);
    expect(await seen.evaluate('document.documentElement.scrollWidth')).toBe(390);
    // Whoever presses it all the same is refused.
    const refused = await seen.evaluate(async (namespace) => {
      const headers = {
        'X-Okra-Dashboard': '1',
        'Content-Type': 'application/json',
        Authorization: `Bearer ${sessionStorage.getItem('okra-key')}`,
      };
      const body = JSON.stringify({ namespace, name: 'web', request: 'abort', reason: '' });
      const response = await fetch('/api/ask', { method: 'POST', headers, body });
      return `${response.status} ${await response.text()}`;
    }, stage.namespace);
    expect(refused).toMatch(/^409 .*verb abort of cells\.okra\.mumo\.co/);
    problems.splice(0, problems.length, ...problems.filter((text) => !text.includes('409')));

    await askByKeyboard(page, 'Abort', 'errors again');
    await page.getByText('Reverted').first().waitFor();
    await page.getByRole('cell', { name: 'abort by admin: errors again' }).waitFor();
    await stage.untilClosed(stage.workflowId('web'));
    expect(problems).toEqual([]);
  });

  it('lets people into that of the cluster by a token of theirs, until they log out', async () => {
    const { stack, namespace } = stage;
    const ports = reservePorts();
    const port = await ports.reserve();
    const config = loadConfig({
      ...stack.environment,
      OKRA_WATCH_NAMESPACE: namespace,
      OKRA_DASHBOARD_PORT: String(port),
      OKRA_DASHBOARD_LOGIN: 'true',
    });
    const { users } = parse(await readFile(stack.kubeconfig, 'utf8')) as {
      users: [{ user: { token: string } }];
    };
    const { token } = users[0].user;
    const { promise: serves, resolve } = Promise.withResolvers<unknown>();
    const log = createLog('silent');
    const running = runDashboard({ config, log, version: '0.0.0', signal: stop.signal, waiting: resolve });
    closing.push(() => running, ports.release);
    await serves;
    const base = `http://localhost:${port}`;
    const entered = await fetch(`${base}/api/session`, {
      method: 'POST',
      headers: {
        'X-Okra-Dashboard': '1',
        'Content-Type': 'application/json',
        Origin: base,
        Authorization: `Bearer ${token}`,
      },
      body: '{}',
    });
    const { key } = (await entered.json()) as { key: string };
    // A link with the key of another person lets nobody act in that person's name.
    const page = await look(`${base}/#key=${key}`);
    await page.getByLabel('Token').fill('guessed');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Token not valid for this cluster').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'web' }).getByText('Reverted').waitFor();
    await page.getByRole('banner').getByText('admin').waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(token);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('is held by no other page', async () => {
    const url = await serveTo(stage.stack.kubeconfig);
    const page = await (await browser.newContext()).newPage();
    await page.setContent(`<iframe src="${url}"></iframe>`);
    const frame = page.frames()[1];
    await frame?.waitForLoadState();
    expect(frame?.url()).not.toContain('127.0.0.1');
  });
});
