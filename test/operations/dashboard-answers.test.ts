import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDashboard } from '../../cli/dashboard/of-person.ts';
import { aWorld } from '../../cli/dashboard/testing/world.ts';
import { aCell, paused } from '../../cli/okractl/testing/objects.ts';
import { startChromium } from '../support/browser/chromium.ts';
import { shop, weightsOfWeb } from '../support/browser/shop.ts';
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

/** The least contrast of what is read on a page with what it stands on. */
const LEAST_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const coloursOf = (element) => {
    const colours = [];
    for (let one = element; one !== null; one = one.parentElement) colours.unshift(getComputedStyle(one).backgroundColor);
    return [...colours, getComputedStyle(element).color];
  };
  const lightOf = (colours) => {
    for (const colour of ['white', ...colours]) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrastOf = (element) => {
    const colours = coloursOf(element);
    const [low, high] = [lightOf(colours), lightOf(colours.slice(0, -1))].toSorted((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const isRead = (element) =>
    !element.disabled && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  return Math.min(...[...document.querySelectorAll('main *:not(svg *)')].filter(isRead).map(contrastOf));
})()`;

describe('the page of a shop', () => {
  const stop = new AbortController();
  const now = Date.now();
  const world = aWorld({ objects: shop(now), weights: () => Promise.resolve(weightsOfWeb(now)) });
  let browser: Browser;
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ url, close } = await openDashboard({
      session: { ...world.session, docsUrl: 'https://docs.example.com/okra/' },
      namespace: undefined,
      port: 0,
      version: '0.0.0',
      now: Date.now,
      signal: stop.signal,
      failed: () => undefined,
    }));
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser.close();
    stop.abort();
    await close();
  });

  async function show(path: string, options: BrowserContextOptions): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(url);
    await page.getByRole('link', { name: 'web' }).waitFor();
    await page.goto(url.replace(/#.*/, path));
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    return page;
  }

  const pages = ['#/', '#/cells/shop/web', '#/policies/nginx', '#/clusters'];
  const screens = [
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const;

  it.each(screens)(
    'can be read in the %s, and is not scrolled sideways at a width of %i',
    async (colorScheme, width) => {
      for (const path of pages) {
        const page = await show(path, { colorScheme, viewport: { width, height: 900 } });
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
        expect([path, Number(await page.evaluate(LEAST_CONTRAST)) >= 4.5]).toEqual([path, true]);
      }
    },
  );

  it('shows a rollout of seven steps on one screen, the steps before the timeline', async () => {
    const page = await show('#/cells/shop/web', { viewport: { width: 1440, height: 900 } });
    const [steps, timeline, groups] = await Promise.all(
      ['Steps', 'Timeline', 'Target groups'].map((name) =>
        page.getByRole('region', { name }).first().boundingBox(),
      ),
    );
    expect(await page.getByRole('region', { name: 'Steps' }).getByRole('listitem').count()).toBe(8);
    for (const box of [steps, timeline, groups]) expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(900);
    expect(steps?.x).toBeLessThan(timeline?.x ?? 0);
    const phone = await show('#/cells/shop/web', { viewport: { width: 390, height: 900 } });
    const tops = await Promise.all(
      ['Steps', 'Timeline'].map((name) => phone.getByRole('region', { name }).first().boundingBox()),
    );
    expect(tops[0]?.y).toBeLessThan(tops[1]?.y ?? 0);
  });

  it('links each reason to its place in the docs', async () => {
    const page = await show('#/cells/shop/web', {});
    const link = page.getByRole('link', { name: 'WaitingForResume' }).first();
    expect(await link.getAttribute('href')).toBe(
      'https://docs.example.com/okra/troubleshooting#WaitingForResume:~:text=WaitingForResume',
    );
  });

  it('takes a request for a StagedBindingPolicy by keyboard alone, and marks an abort as what it is', async () => {
    const page = await show('#/', { viewport: { width: 390, height: 844 } });
    const press = async (name: string): Promise<void> => {
      const focused = async () => String(await page.evaluate('document.activeElement.textContent.trim()'));
      await until(`${name} to be reached`, async () => {
        await page.keyboard.press('Tab');
        return (await focused()) === name;
      });
      await page.keyboard.press('Enter');
    };
    await press('sbp/nginx');
    await page.getByRole('heading', { level: 1, name: 'sbp/nginx' }).waitFor();
    await press('Abort…');
    await page.getByLabel('Reason (optional)').waitFor();
    const abort = page.getByRole('dialog').getByRole('button', { name: 'Abort' });
    const colour = 'getComputedStyle(document.querySelector("dialog .grave")).backgroundColor';
    expect([await abort.isVisible(), await page.evaluate(colour)]).toEqual([true, 'rgb(179, 38, 30)']);
    await page.keyboard.type('errors');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(world.sent).toMatchObject([
      { workflowId: 'staged-binding-policy/nginx', name: 'abort', reason: 'errors', stage: 'test' },
    ]);
  });
});
