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
  // Its own arguments are left out: with them a page may do what a browser forbids, and the header Origin is not sent.
  return chromium.launch({ ...(await packed()), args });
}

/** The Chromium of the dev dependencies, with the libraries that a bare system lacks. */
async function packed(): Promise<{
  readonly executablePath: string;
  readonly env: Record<string, string>;
}> {
  const before = { ...process.env };
  // By this it knows that it is to bring its libraries along, for which it changes the environment.
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs24.x';
  try {
    const { default: brought } = await import('@sparticuz/chromium');
    const executablePath = await brought.executablePath();
    const env = Object.entries(process.env).filter((one): one is [string, string] => one[1] !== undefined);
    return { executablePath, env: Object.fromEntries(env) };
  } finally {
    for (const name of Object.keys(process.env)) if (before[name] === undefined) delete process.env[name];
    Object.assign(process.env, before);
  }
}
