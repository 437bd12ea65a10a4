// Takes the pictures of docs/dashboard.md, of a cluster in memory: node test/support/browser/pictures.ts
import { join } from 'node:path';
import { openDashboard } from '../../../cli/dashboard/of-person.ts';
import { aWorld } from '../../../cli/dashboard/testing/world.ts';
import { startChromium } from './chromium.ts';
import { shop, weightsOfWeb } from './shop.ts';

const folder = join(import.meta.dirname, '../../../docs/images');
const now = Date.now();
const { session } = aWorld({
  objects: shop(now),
  allowed: ({ verb }) => verb !== 'promotefull',
  weights: () => Promise.resolve(weightsOfWeb(now)),
});
const stop = new AbortController();
const { url, close } = await openDashboard({
  session: { ...session, docsUrl: 'https://docs.example.com/okra' },
  namespace: undefined,
  port: 0,
  version: '0',
  now: Date.now,
  signal: stop.signal,
  failed: (error) => {
    throw error;
  },
});
const browser = await startChromium();
const wide = { viewport: { width: 1000, height: 820 } };
const phone = { viewport: { width: 390, height: 780 }, colorScheme: 'dark' } as const;

/** Opens the page, goes where it is told, and takes a picture. */
async function picture(name: string, options: typeof wide | typeof phone, path = ''): Promise<void> {
  const context = await browser.newContext({ ...options, locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('link', { name: 'web' }).waitFor();
  if (path !== '') {
    await page.goto(url.replace(/#.*/, path));
    await page.getByRole('heading', { level: 2 }).first().waitFor();
  }
  await page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
  await context.close();
}

await picture('cells', wide);
await picture('cell', { viewport: { width: 1440, height: 900 } }, '#/cells/shop/web');
await picture('policy', { viewport: { width: 1000, height: 620 } }, '#/policies/nginx');
await picture('clusters', { viewport: { width: 1000, height: 560 } }, '#/clusters');
await picture('phone', phone, '#/cells/shop/web');
await browser.close();
stop.abort();
await close();
