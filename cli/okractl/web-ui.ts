import { withoutEnd } from '../../domain/text.ts';
import { badUsage } from './exit.ts';

/** A run in the Web UI of Temporal; without a run id, the last one. */
export interface ShownRun {
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

/** The address of a run in a Web UI. */
export function workflowUrl(ui: string, { namespace, workflowId, runId }: ShownRun): string {
  const run = runId === undefined ? '' : `/${encodeURIComponent(runId)}/history`;
  const base = withoutEnd(ui, '/');
  return `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}${run}`;
}

// What `temporal server start-dev` adds to its port.
const DEV_SERVER_UI = 1000;

/** Guesses where the Web UI of a server is; undefined when nobody can know. */
export function guessUi(address: string): string | undefined {
  const url = URL.canParse(`tcp://${address}`) ? new URL(`tcp://${address}`) : undefined;
  if (url === undefined) return undefined;
  const { hostname, port } = url;
  if (hostname.endsWith('.tmprl.cloud') || hostname.endsWith('.api.temporal.io'))
    return 'https://cloud.temporal.io';
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return isLocal ? `http://${hostname}:${Number(port) + DEV_SERVER_UI}` : undefined;
}

/** Where the Web UI is, as it is set or can be guessed; throws when neither says so. */
export function requireUi(set: string | undefined, { address }: { readonly address: string }): string {
  const ui = set ?? guessUi(address);
  if (ui !== undefined) return ui;
  throw badUsage(
    `Expected the address of the Web UI that belongs to Temporal at ${address}, got none. Set OKRA_TEMPORAL_UI, or --ui.`,
  );
}
