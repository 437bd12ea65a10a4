import type { Command } from 'commander';
import type { Cell } from '../../crds/cell.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { temporalId } from '../../clients/temporal/workflow-id.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import type { Globals, Shell } from './shell.ts';
import { parseTarget, TARGET_HELP } from './target.ts';
import { requireUi, workflowUrl } from './web-ui.ts';

interface OpenOptions extends Globals {
  readonly print?: boolean;
  readonly ui?: string;
}

/** Adds `open`. */
export function addOpen(program: Command, shell: Shell): void {
  program
    .command('open')
    .description('Opens the rollout in the Temporal Web UI, and prints the address.')
    .argument('<name>', TARGET_HELP)
    .option('--print', 'only print the address')
    .option('--ui <url>', 'the address of the Web UI; default: OKRA_TEMPORAL_UI')
    .action(async (text: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OpenOptions>();
      const { kubernetes, namespace, temporal, temporalUi } = shell.session(options);
      const { kind, key } = parseTarget(text, namespace);
      const ui = requireUi(options.ui ?? temporalUi, temporal);
      const status = kind === 'Cell' ? (await kubernetes.get<Cell>(CELL, key))?.status : undefined;
      const url = workflowUrl(ui, {
        namespace: temporal.namespace,
        workflowId: temporalId(objectWorkflowId(kind, key)),
        runId: status?.rollout?.runId,
      });
      shell.print(url);
      if (options.print !== true && shell.screen !== undefined) shell.browse(url);
    });
}
