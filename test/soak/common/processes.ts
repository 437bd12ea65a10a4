import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Stage } from '../../support/stage/stage.ts';
import type { Dice } from './dice.ts';
import type { Incident } from './incident.ts';

const run = promisify(execFile);

/** How long okrad sleeps at most: longer than its activities may be silent, so that others are begun beside them. */
const OKRAD_SLEEPS_MS = [2_000, 8_000, 20_000];
const SERVER_SLEEPS_MS = [1_000, 4_000, 12_000];
const servers = ['kube-apiserver', 'temporal server', 'etcd'];

/** What happens to the processes of a stage: okrad ends, or does nothing for a while, as do the servers, and continues where it was. */
export function processIncidents(
  stage: Stage,
  dice: Dice,
  /** Told when one of them does nothing, and when it continues. */
  tell: (isAsleep: boolean) => void = () => undefined,
): readonly Incident<unknown>[] {
  const sleep = async (pid: number | undefined, milliseconds: number): Promise<void> => {
    tell(true);
    await sleepFor(pid, milliseconds).finally(() => tell(false));
  };
  return [
    {
      name: 'okrad is ended',
      weight: 1,
      async happen() {
        tell(true);
        await stage.okrad.end(dice.pick(['SIGKILL', 'SIGTERM']));
        await wait(dice.number() * 1_500);
        stage.okrad.start();
        tell(false);
      },
    },
    {
      name: 'okrad sleeps',
      weight: 1,
      happen() {
        const milliseconds = dice.pick(OKRAD_SLEEPS_MS) * dice.number();
        void sleep(stage.okrad.pid(), milliseconds);
        return `${milliseconds.toFixed(0)} ms`;
      },
    },
    {
      name: 'a server sleeps',
      weight: 1,
      async happen() {
        const [server, milliseconds] = [dice.pick(servers), dice.pick(SERVER_SLEEPS_MS) * dice.number()];
        void sleep(await processOf(server, stage.stack.dir), milliseconds);
        return `${server} ${milliseconds.toFixed(0)} ms`;
      },
    },
  ];
}

/** Has a process do nothing for a while, as on a machine that swaps; it may be ended before it wakes. */
async function sleepFor(pid: number | undefined, milliseconds: number): Promise<void> {
  send(pid, 'SIGSTOP');
  await wait(milliseconds);
  send(pid, 'SIGCONT');
}

function send(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The process of a server of the stack, by what its command line says. */
async function processOf(server: string, dir: string): Promise<number> {
  const { stdout } = await run('pgrep', ['-f', `${server}.*${dir}`]);
  const pid = Number(stdout.trim().split('\n')[0]);
  if (!(pid > 1)) throw new Error(`Expected a process of ${server} for ${dir}, got none.`);
  return pid;
}
