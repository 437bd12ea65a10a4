import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode } from '@temporalio/worker';
import { bundleFolder, bundleKey, keptBundle } from './bundle-cache.ts';

const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
const program = fileURLToPath(new URL('../../cli/bundle-workflows.ts', import.meta.url));
const run = promisify(execFile);

/** Bundles the workflows for a worker. */
export async function bundleWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quiet });
  return code;
}

const MOST_BYTES = 64 * 1024 * 1024;

/** Bundles the workflows in a process of its own, with which the memory goes that a bundler takes, and keeps. */
export async function bundleWorkflowsApart(signal: AbortSignal): Promise<string> {
  try {
    return (await run(process.execPath, [program], { maxBuffer: MOST_BYTES, signal })).stdout;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Gives the bundled workflows; those that were bundled before of the same sources are taken from where they are kept. */
export async function workflowBundle(signal: AbortSignal): Promise<string> {
  return keptBundle({ folder: bundleFolder(), keyOf: () => bundleKey() }, () => bundleWorkflowsApart(signal));
}

const silent = (): void => undefined;

/** The bundler tells of every step; only what goes wrong is of interest, and that it throws. */
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
