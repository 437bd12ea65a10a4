import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where systems have Chromium, or Chrome. */
const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Starts a headless Chromium: that of the system, or else one that comes with the dev dependencies. */
export async function startChromium(): Promise<Browser> {
  // The pages are those of the test, and in containers there is no room for a sandbox.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const found = installed.find((path) => existsSync(path));
  if (found !== undefined) return chromium.launch({ executablePath: found, args });
  const { default: packed } = await import('@sparticuz/chromium');
  return chromium.launch({ executablePath: await packed.executablePath(), args: [...packed.args, ...args] });
}
