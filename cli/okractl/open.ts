import type { Command } from 'commander';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { temporalId } from '../../clients/temporal/workflow-start.ts';
import type { Cell } from '../../crds/cell.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { withoutEnd } from '../../domain/text.ts';
import { badUsage, type Session, type Shell } from './shell.ts';
import { parseTarget, TARGET_HELP } from './target.ts';
import type { Options } from './options.ts';

export function addOpen(program: Command, shell: Shell): void {
  program
    .command('open')
    .description('Opens the workflow of an object in the Temporal Web UI, and prints its address.')
    .argument('<name>', TARGET_HELP)
    .option('--print', 'only print the address')
    .option('--ui <url>', 'the address of the Web UI; default: OKRA_TEMPORAL_UI')
    .action(async (options: Options, text: string) => {
      const session = shell.session(options);
      const { kubernetes, namespace, temporal } = session;
      const { kind, key } = parseTarget(text, namespace);
      const ui = options.ui ?? uiOf(session);
      if (ui === undefined)
        throw badUsage(
          session.throughApi === undefined
            ? `cannot find the Web UI of Temporal at ${temporal.address}. Set OKRA_TEMPORAL_UI or --ui.`
            : 'cannot find the Web UI of Temporal: TEMPORAL_ADDRESS is not set. Set OKRA_TEMPORAL_UI or --ui.',
        );
      const status = kind === 'Cell' ? (await kubernetes.get<Cell>(CELL, key))?.status : undefined;
      const workflowId = temporalId(objectWorkflowId(kind, key));
      const url = workflowUrl(ui, temporal.namespace, workflowId, status?.rollout?.runId);
      shell.print(url);
      if (options.print !== true && shell.screen !== undefined) shell.browse(url);
    });
}

/** The address of a run in a Web UI; without a run id, of the last one. */
export function workflowUrl(ui: string, namespace: string, workflowId: string, runId?: string): string {
  const run = runId === undefined ? '' : `/${encodeURIComponent(runId)}/history`;
  const base = withoutEnd(ui, '/');
  return `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}${run}`;
}

/** The Web UI of Temporal, as it is set, or guessed by the address of Temporal where that is given. */
export const uiOf = ({
  temporal,
  temporalUi,
  throughApi,
}: Pick<Session, 'temporal' | 'temporalUi' | 'throughApi'>): string | undefined =>
  temporalUi ?? (throughApi === undefined ? guessUi(temporal.address) : undefined);

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
