import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Session } from '../okractl/shell.ts';
import { type DashboardOptions, serveDashboard } from './http.ts';
import { openHub } from './hub.ts';
import { newKey, onePerson } from './logins.ts';

interface PersonalOptions extends Omit<DashboardOptions, 'host' | 'hosts' | 'viewers'> {
  readonly session: Session;
  /** All namespaces when undefined. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** Serves the page to one person on their own machine, with their own rights. */
export async function openDashboard({ session, namespace, signal, ...options }: PersonalOptions) {
  const by = await session.whoAmI();
  const hub = openHub({
    kubernetes: session.kubernetes,
    namespaces: namespace === undefined ? [] : [namespace],
    now: options.now,
    signal,
  });
  const key = newKey();
  const viewers = onePerson({ session, hub, by, signal }, key);
  const host = '127.0.0.1';
  const server = await serveDashboard({ ...options, host, hosts: [], viewers });
  // What stands behind # is sent to nobody; the page keeps it for its tab, and takes it out of the address.
  return { url: `http://${host}:${server.port}/#key=${key}`, close: server.close };
}

/** Writes a file that leads a browser to an address, for its owner alone: all on the machine can read what a program is started with. */
export async function doorTo(address: string) {
  // Made for its owner alone.
  const folder = await mkdtemp(join(tmpdir(), 'okra-dashboard-'));
  const path = join(folder, 'open.html');
  const html = `<!doctype html><title>Okra</title><meta http-equiv="refresh" content="0; url=${address}">`;
  await writeFile(path, html, { mode: 0o600 });
  return {
    url: pathToFileURL(path).href,
    remove: (): Promise<void> => rm(folder, { recursive: true, force: true }),
  };
}
