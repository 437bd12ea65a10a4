import type { Session } from '../okractl/shell.ts';
import { serveDashboard } from './http.ts';
import { openHub } from './hub.ts';
import { newKey, onePerson } from './keys.ts';

/** Whose page it is, and of what. */
export interface PersonalOptions {
  readonly session: Session;
  /** All namespaces when undefined. */
  readonly namespace: string | undefined;
  readonly port: number;
  readonly version: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
}

/** Serves the page to one person on their own machine, with their own rights. */
export async function openDashboard({
  session,
  namespace,
  port,
  version,
  now,
  signal,
  failed,
}: PersonalOptions): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const by = await session.whoAmI();
  const hub = openHub({
    kubernetes: session.kubernetes,
    namespaces: namespace === undefined ? [] : [namespace],
    now,
    signal,
  });
  const key = newKey();
  const viewers = onePerson({ session, hub, by, signal }, key);
  const host = '127.0.0.1';
  const server = await serveDashboard({ host, port, hosts: [], viewers, version, now, failed });
  // What stands behind # is sent to nobody; the page keeps it for its tab, and takes it out of the address.
  return { url: `http://${host}:${server.port}/#key=${key}`, close: server.close };
}
