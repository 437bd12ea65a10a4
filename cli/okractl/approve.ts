import type { Command } from 'commander';
import { REASON } from './requests.ts';
import { send } from './send.ts';
import type { Globals, Shell } from './shell.ts';
import { parseCell } from './target.ts';

interface ApproveOptions extends Globals {
  readonly reason?: string;
  readonly of?: string;
}

/** Adds `approve`. */
export function addApprove(program: Command, shell: Shell): void {
  program
    .command('approve')
    .description(
      'Approves the step that a rollout waits at for approval, in your name and as a member of your groups.',
    )
    .argument('<name>', 'a Cell, by its name or as cell/NAME')
    .option('--of <version>', 'the version that you have looked at; refused when another one waits')
    .option(...REASON)
    .action(async (text: string, _options: unknown, command: Command) => {
      const { reason = '', of, ...globals } = command.optsWithGlobals<ApproveOptions>();
      const session = shell.session(globals);
      const key = parseCell(text, session.namespace);
      const seen = of === undefined ? {} : { version: of };
      await send(shell, session, { target: { kind: 'Cell', key }, name: 'approve', reason, seen });
    });
}
