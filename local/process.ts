import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Reaper } from './reaper.ts';
import { lastLines } from './run.mjs';

/** How a component is started and when it counts as ready. */
export interface Component {
  readonly name: string;
  readonly after: readonly string[];
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What has to be there before the first start. */
  readonly prepare?: () => Promise<void>;
  readonly ready: (signal: AbortSignal) => Promise<unknown>;
}

/** A component's process, which can be stopped and started again with the same ports and data. */
export interface Supervised {
  readonly name: string;
  readonly pid: () => number | undefined;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
}

/** What all components of one stack share. */
export interface Surroundings {
  readonly dir: string;
  readonly logFile: (name: string) => string;
  readonly reaper: Reaper;
  readonly log: (line: string) => void;
}

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<string>;
  wanted: boolean;
}

const graceMillis = 5_000;

/** Puts a component under supervision without starting it. */
export function supervise(component: Component, surroundings: Surroundings): Supervised {
  let running: Running | undefined;
  const { name } = component;

  const launch = (): Running => {
    const child = spawnInto(component, surroundings);
    const started: Running = { child, exited: exitOf(child), wanted: true };
    // A program that has nothing left to do may end; the reaper then ends what it left behind.
    child.unref();
    if (child.pid !== undefined) surroundings.reaper.watch(child.pid);
    void started.exited.then((how) => {
      if (child.pid !== undefined) surroundings.reaper.forget(child.pid);
      if (started.wanted && running === started) surroundings.log(`${name} ended by itself: ${how}`);
      if (running === started) running = undefined;
    });
    return started;
  };

  const stop = async (): Promise<void> => {
    const current = running;
    if (current === undefined) return;
    current.wanted = false;
    current.child.ref();
    send(current.child, 'SIGTERM');
    // A stopped process would not act on SIGTERM before it is continued.
    send(current.child, 'SIGCONT');
    if (await endsWithin(current.exited, graceMillis)) return;
    send(current.child, 'SIGKILL');
    await current.exited;
  };

  return {
    name,
    pid: () => running?.child.pid,
    start: async () => {
      if (running !== undefined) return;
      running = launch();
      await becomeReady(component, running, surroundings);
    },
    stop,
    kill: async (signal) => {
      const current = running;
      if (current === undefined) throw new Error(`Expected ${name} to run, it does not. Start it first.`);
      const fatal = signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT';
      if (fatal) {
        current.wanted = false;
        current.child.ref();
      }
      send(current.child, signal);
      if (fatal) await current.exited;
    },
  };
}

function spawnInto(component: Component, { dir, logFile }: Surroundings): ChildProcess {
  const log = openSync(logFile(component.name), 'a');
  try {
    return spawn(component.command, component.args, {
      cwd: dir,
      // A group of its own: Ctrl-C in the terminal reaches the program that owns the stack, which stops things in order.
      detached: true,
      stdio: ['ignore', log, log],
      // Nothing of the user's own settings (KUBECONFIG, AWS_…, TEMPORAL_…) may leak into a component.
      env: { PATH: process.env['PATH'] ?? '', HOME: dir, TMPDIR: dir, ...component.env },
    });
  } finally {
    closeSync(log);
  }
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `exit status ${code}` : `killed by ${signal}`),
    );
  });
}

async function becomeReady(component: Component, running: Running, { logFile }: Surroundings): Promise<void> {
  const settled = new AbortController();
  const died = running.exited.then((how) => {
    throw new Error(`it ended while starting (${how})`);
  });
  try {
    await Promise.race([died, component.ready(settled.signal)]);
  } catch (error) {
    const file = logFile(component.name);
    const log = await readFile(file, 'utf8').catch(() => '');
    throw new Error(
      `Expected ${component.name} to become ready: ${error instanceof Error ? error.message : String(error)}\n` +
        `The end of ${file}:\n${lastLines(log)}\n` +
        `Start the stack again, with less other work on the machine if it was only slow. If ${component.name} ends by itself each time, delete its folder below ~/.cache/okra to have it built again.`,
      { cause: error },
    );
  } finally {
    settled.abort();
    died.catch(() => undefined);
  }
}

function send(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended in the meantime, which `exited` tells.
  }
}

async function endsWithin(exited: Promise<string>, millis: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(millis, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  timer.abort();
  return ended;
}
