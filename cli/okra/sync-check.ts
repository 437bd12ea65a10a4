import type { Command } from 'commander';
import type { CheckRun } from '../../activities/contract.ts';
import { sleep } from '../../clients/backoff.ts';
import { CHECK } from '../../clients/kubernetes/kinds.ts';
import type { Check } from '../../crds/check.ts';
import { isOver } from '../../domain/checks/next-run.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { exitCodes, failed } from '../okractl/shell.ts';
import { mustWaitFor, timeoutOption, within } from '../okractl/timeout.ts';
import { inOneLine } from '../terminal-text.ts';
import { refusalOf } from './pass.ts';
import { activitiesOf, asActivity } from './session.ts';
import { named, type OkraOptions, type OkraShell } from './shell.ts';

export function addSyncCheck(sync: Command, shell: OkraShell): void {
  named(sync.command('check'), { what: 'the Check' }, async (name, options) => {
    const { timeout, wait = false } = options;
    mustWaitFor(timeout, wait, '--wait');
    await within(shell, { timeout, what: `Check ${name}` }, (signal) =>
      syncCheck({ ...shell, signal }, options, name),
    );
  })
    .description(
      'Takes a sample of a Check when one is due, and reports the result of the Check: status 1 when it has ended and is not Successful.',
    )
    .option('--wait', 'take samples until the Check has ended')
    .addOption(timeoutOption());
}

async function syncCheck(shell: OkraShell, options: OkraOptions, name: string): Promise<void> {
  const { wait = false, dryRun = false } = options;
  const session = shell.session(options);
  const { namespace } = session;
  const activities = await activitiesOf(session);
  const key = { namespace, name };
  const look = async (throttled: CheckRun['throttled']) => {
    const run = await asActivity(shell.signal, () => activities.runCheck(key, throttled));
    const check = await session.kubernetes.get<Check>(CHECK, key);
    return { ...run, isPresent: run.isPresent || check !== undefined, status: check?.status ?? {} };
  };
  let said: string | undefined;
  for (let last = await look(undefined); ;) {
    const { status, message, againInSeconds = AWAY_SECONDS } = last;
    if (!last.isPresent) throw failed(`Check ${formatKey(key)} not found.`);
    // As a comment, so that what a dry run prints is YAML.
    if (message !== said) shell.print(inOneLine(dryRun ? `# ${message}` : message));
    said = message;
    // What a sample comes to that was not written down, nobody knows.
    if (dryRun) return;
    if (isOver(status) && status.phase !== 'Successful') shell.exitWith(exitCodes.failure);
    if (isOver(status) || !wait) return;
    await sleep(againInSeconds * 1000, shell.signal);
    shell.signal.throwIfAborted();
    last = await look(last.throttled).catch((error: unknown) => {
      const { reason, message: why, permanent } = refusalOf(error);
      if (permanent || shell.signal.aborted) throw error;
      shell.warn(inOneLine(`${reason}: ${why}`));
      return { ...last, againInSeconds: AWAY_SECONDS };
    });
  }
}

/** After how many seconds to look again when a look has failed. */
const AWAY_SECONDS = 2;
