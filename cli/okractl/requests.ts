import type { Command } from 'commander';
import type { RequestName } from '../../domain/model/request.ts';
import { requestKinds } from '../../domain/model/request-kinds.ts';
import { badUsage, exitCodes } from './exit.ts';
import { seenBy, withSeenOptions, withSeenStage, type SeenOptions } from './seen-options.ts';
import { send, type Sending } from './send.ts';
import type { Globals, Session, Shell } from './shell.ts';
import { untilTakenUp } from './taken-up.ts';
import { parseTarget, TARGET_HELP } from './target.ts';

interface RequestOptions extends Globals, SeenOptions {
  readonly reason?: string;
  readonly full?: boolean;
}

/** The requests that are commands of the same name; `promoteFull` is `promote --full`. */
const names = ['pause', 'resume', 'promote', 'abort', 'retry'] as const satisfies readonly RequestName[];

/** The option that says why; it stands in the history. */
export const REASON = ['--reason <text>', 'the reason, for the history and for others who look'] as const;

/** Adds `pause`, `resume`, `promote`, `abort` and `retry`. */
export function addRequests(program: Command, shell: Shell): void {
  for (const name of names) {
    const command = program
      .command(name)
      .description(requestKinds[name].description)
      .argument('<name>', TARGET_HELP)
      .option(...REASON)
      .action(async (text: string, _options: unknown, self: Command) => {
        const options = self.optsWithGlobals<RequestOptions>();
        const session = shell.session(options);
        const target = parseTarget(text, session.namespace);
        const request = options.full === true ? 'promoteFull' : name;
        if (request === 'promoteFull' && target.kind !== 'Cell')
          throw badUsage(
            'Expected a Cell with --full, got a StagedBindingPolicy. Promote its stages one by one.',
          );
        if (request === 'promoteFull' && options.step !== undefined)
          throw badUsage(
            'Expected no --step with --full, which leaves out all steps that are left, got one.',
          );
        const seen = seenBy(options, target);
        const sending: Sending = { target, name: request, reason: options.reason ?? '', seen };
        if (request !== 'retry') return send(shell, session, sending);
        await sendRetry(shell, session, sending);
      });
    // What holds a rollout, or takes it back, is never refused for what was not looked at.
    if (name === 'promote' || name === 'resume') withSeenOptions(command);
    if (name === 'promote')
      withSeenStage(command).option(
        '--full',
        'skip the remaining steps and give the new version the whole weight',
      );
  }
}

/** Sends a retry, and ends when the status shows it: what looks at the status next, as a script does, is not to find the failure of before. */
async function sendRetry(shell: Shell, session: Session, sending: Sending): Promise<void> {
  const { kubernetes } = session;
  const { signal } = shell;
  const ask = () => send(shell, session, sending);
  if (await untilTakenUp({ kubernetes, signal }, sending.target, ask)) return;
  shell.warn(
    'Expected okrad to take the retry up in time, got a status that does not show it yet. It is kept, and is carried out as soon as okrad can: see okractl describe, and okractl check.',
  );
  shell.exitWith(exitCodes.failure);
}
