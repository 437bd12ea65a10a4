import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A pod, as far as its command is run. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly containers: readonly Container[] };
  readonly status?: { readonly phase?: string };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** How the command of a pod ended. */
export interface Ended {
  readonly exitCode: number;
  /** The last that it said. */
  readonly message: string;
}

/** The command of a pod as a process. */
export interface RunningPod {
  readonly ended: Promise<Ended>;
  readonly stop: () => void;
}

const GRACE_MILLISECONDS = 2_000;
const LONGEST_MESSAGE = 2_000;

/** The status of a command that cannot be started, as a shell gives it. */
const NOT_FOUND = 127;

/** Runs the command of a pod as a process of this machine, in a folder of its own, with the variables of the pod and no others. */
export function runPod({ spec }: Pod): RunningPod {
  const [container] = spec.containers;
  const [command, ...args] = container?.command ?? [];
  if (container === undefined || command === undefined) {
    const message =
      'Expected a command, got none: the local stack has no images to take one from. Write one.';
    return { ended: Promise.resolve({ exitCode: NOT_FOUND, message }), stop: () => undefined };
  }
  let child: ChildProcess | undefined;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    child?.kill('SIGTERM');
    setTimeout(() => child?.kill('SIGKILL'), GRACE_MILLISECONDS).unref();
  };
  const ended = inFolder(async (folder) => {
    if (isStopped) return { exitCode: NOT_FOUND, message: 'It was stopped before it was started.' };
    const own = (container.env ?? []).map(({ name, value = '' }) => [name, value] as const);
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...Object.fromEntries(own) };
    child = spawn(command, [...args, ...(container.args ?? [])], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return outcomeOf(child);
  });
  return { ended, stop };
}

async function inFolder(use: (folder: string) => Promise<Ended>): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'okra-job-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function outcomeOf(child: ChildProcess): Promise<Ended> {
  let message = '';
  const hear = (chunk: Buffer): void => {
    message = `${message}${chunk.toString()}`.slice(-LONGEST_MESSAGE);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: NOT_FOUND, message: error.message }));
    // A command that was killed has the status that a kubelet gives it for SIGKILL.
    child.once('close', (code) => resolve({ exitCode: code ?? 137, message }));
  });
}

/** The status of a pod whose command has ended, as a kubelet writes it. */
export function statusOf({ spec }: Pod, { exitCode, message }: Ended, startedAt: Date): object {
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    message,
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
  };
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated },
    })),
  };
}
