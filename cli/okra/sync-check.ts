import type { Command } from 'commander';
import type { CheckRun } from '../../activities/contract.ts';
import { sleep } from '../../clients/backoff.ts';
import { CHECK } from '../../clients/kubernetes/kinds.ts';
import type { Check, CheckStatus } from '../../crds/check.ts';
import { isOver } from '../../domain/checks/next-run.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { exitCodes, failed } from '../okractl/shell.ts';
import { mustWaitFor, type Timeout, timeoutOption, within } from '../okractl/timeout.ts';
import { inOneLine } from '../terminal-text.ts';
import { refusalOf } from './pass.ts';
import { activitiesOf, asActivity } from './session.ts';
import { type Globals, named, type OkraShell } from './shell.ts';

interface SyncCheckOptions extends Globals {
  readonly wait?: boolean;
  readonly timeout?: Timeout;
}

/** Adds `sync check`. */
export function addSyncCheck(sync: Command, shell: OkraShell): void {
  named<SyncCheckOptions>(sync.command('check'), { what: 'the Check' }, async (name, options) => {
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

/** A look at a Check, and what its status says afterwards. */
interface Looked {
  readonly run: CheckRun;
  readonly status: CheckStatus;
}

async function syncCheck(shell: OkraShell, options: SyncCheckOptions, name: string): Promise<void> {
  const { wait = false, dryRun = false } = options;
  const session = shell.session(options);
  const { namespace } = session;
  const activities = await activitiesOf(session);
  const key = { namespace, name };
  const look = async (last?: CheckRun): Promise<Looked> => {
    const run = await asActivity(shell.signal, () => activities.runCheck(key, last?.throttled));
    const check = await session.kubernetes.get<Check>(CHECK, key);
    return { run: { ...run, isPresent: run.isPresent || check !== undefined }, status: check?.status ?? {} };
  };
  const say = ({ message }: CheckRun, before?: CheckRun): void => {
    // As a comment, so that what a dry run prints is YAML.
    if (message !== before?.message) shell.print(inOneLine(dryRun ? `# ${message}` : message));
  };
  for (let last = await look(), before: CheckRun | undefined; ;) {
    const { run, status } = last;
    if (!run.isPresent) throw failed(`Check ${formatKey(key)} not found.`);
    say(run, before);
    // What a sample comes to that was not written down, nobody knows.
    if (dryRun) return;
    if (isOver(status) && status.phase !== 'Successful') shell.exitWith(exitCodes.failure);
    if (isOver(status) || !wait) return;
    await sleep((run.againInSeconds ?? AWAY_SECONDS) * 1000, shell.signal);
    shell.signal.throwIfAborted();
    before = run;
    last = await look(run).catch((error: unknown) => standingAfter(error, last, shell));
  }
}

/** After how many seconds to look again when a look has failed. */
const AWAY_SECONDS = 2;

/** The Check as it was last seen, when trying again may help; that is told. */
function standingAfter(error: unknown, { run, status }: Looked, { warn, signal }: OkraShell): Looked {
  const { reason, message, permanent } = refusalOf(error);
  if (permanent || signal.aborted) throw error;
  warn(inOneLine(`${reason}: ${message}`));
  return { run: { ...run, againInSeconds: AWAY_SECONDS }, status };
}
