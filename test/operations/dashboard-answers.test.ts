import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDashboard } from '../../cli/dashboard/of-person.ts';
import { aWorld } from '../../cli/dashboard/testing/world.ts';
import { aCell, paused } from '../../cli/okractl/testing/objects.ts';
import { startChromium } from '../support/browser/chromium.ts';
import { until } from '../support/until.ts';

const cell = (name: string) => ({ ...aCell(paused), metadata: { name, namespace: 'default' } });

describe('the dashboard in a browser, over a cluster in memory', () => {
  const stop = new AbortController();
  const problems: string[] = [];
  const world = aWorld({
    objects: [cell('a'), cell('b')],
    allowed: ({ verb }) =>
      verb === 'promote' ? Promise.reject(new Error('HTTP 500')) : Promise.resolve(verb !== 'pause'),
  });
  let browser: Browser;
  let page: Page;
  let base: string;
  let close: () => Promise<void>;
  /** Lets the requests through, in their order. */
  const held: (() => void)[] = [];
  beforeAll(async () => {
    const opened = await openDashboard({
      session: world.session,
      namespace: undefined,
      port: 0,
      version: '0.0.0',
      now: Date.now,
      signal: stop.signal,
      failed: (error) => problems.push(String(error)),
    });
    ({ close } = opened);
    [base = ''] = opened.url.split('#');
    browser = await startChromium();
    page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    page.on('pageerror', ({ message }) => problems.push(message));
    await page.goto(opened.url);
    await page.route('**/api/ask', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
  });
  afterAll(async () => {
    await browser.close();
    stop.abort();
    await close();
  });

  /** Opens a Cell, and writes why it is to be aborted. */
  async function writeAbort(name: string, reason: string): Promise<void> {
    await page.goto(`${base}#/cells/default/${name}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('button', { name: 'Abort…' }).click();
    await page.keyboard.type(reason);
  }

  it('can be pressed where Kubernetes has not answered, and not where it has refused', async () => {
    await page.goto(`${base}#/cells/default/a`);
    await page.getByText('You do not have permission to pause.').waitFor();
    await page.getByText('Permission to promote not known yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Pause…' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Promote…' }).isEnabled()).toBe(true);
  });

  it('keeps the dialog of a request open until its answer is there, also over another Cell', async () => {
    await writeAbort('a', 'errors');
    await page.keyboard.press('Enter');
    await until('the request', async () => held.length === 1);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await page.goto(`${base}#/cells/default/b`);
    held[0]?.();
    await page.getByRole('alert').filter({ hasText: 'The rollout of 2.0.0' }).waitFor();
    await page.getByRole('heading', { name: 'Abort default/a' }).waitFor();
    await page.locator('#answered').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await writeAbort('b', 'errors as well');
    await page.keyboard.press('Enter');
    await until('the other request', async () => held.length === 2);
    held[1]?.();
    await page.locator('#answered').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(world.sent).toMatchObject([
      { workflowId: 'cell/default/a', name: 'abort', reason: 'errors' },
      { workflowId: 'cell/default/b', name: 'abort', reason: 'errors as well' },
    ]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(problems).toEqual([]);
  });

  it('is not live when its tab is shown again and the server does not answer', async () => {
    await page.getByText('live', { exact: true }).waitFor();
    await page.route('**/api/stream*', () => new Promise<void>(() => undefined));
    for (const isHidden of [true, false])
      await page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await page.getByText('not live').waitFor();
  });
});
