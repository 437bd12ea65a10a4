import type { Command } from 'commander';
import { REASON } from './requests.ts';
import { seenBy, withSeenOptions, type SeenOptions } from './seen-options.ts';
import { send } from './send.ts';
import type { Globals, Shell } from './shell.ts';
import { parseCell } from './target.ts';

interface ApproveOptions extends Globals, SeenOptions {
  readonly reason?: string;
}

/** Adds `approve`. */
export function addApprove(program: Command, shell: Shell): void {
  const command = program
    .command('approve')
    .description('Approves the step at which a rollout waits for approval, with your name and your groups.')
    .argument('<name>', 'a Cell, by its name or as cell/NAME')
    .option(...REASON)
    .action(async (text: string, _options: unknown, self: Command) => {
      const { reason = '', of, step, ...globals } = self.optsWithGlobals<ApproveOptions>();
      const session = shell.session(globals);
      const target = { kind: 'Cell', key: parseCell(text, session.namespace) } as const;
      const seen = seenBy({ of, step }, target);
      await send(shell, session, { target, name: 'approve', reason, seen });
    });
  withSeenOptions(command);
}
