import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleWorkflowCode } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
const program = fileURLToPath(new URL('../../cli/bundle-workflows.ts', import.meta.url));
const run = promisify(execFile);

/** The name of the file with the bundled workflows in a compiled package. */
export const BUILT_BUNDLE = 'workflow-bundle.js';

/** Where the workflows were bundled when this was compiled; undefined where it was not, as in a checkout. */
export function builtBundle(root = new URL('../../', import.meta.url)): string | undefined {
  const path = fileURLToPath(new URL(BUILT_BUNDLE, root));
  return existsSync(path) ? path : undefined;
}

/** Bundles the workflows for a worker, whose runs share their modules: a copy for each would be most of what a run takes to start, and to keep. */
export async function bundleWorkflows(): Promise<string> {
  const preloadModules = [workflowsPath];
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, logger: quiet });
  return withoutSources(code);
}

const MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/** Takes the text of the sources out of the source map at the end of a bundle, which is read for positions alone: a quarter of the memory that a worker needs for its workflows. */
function withoutSources(code: string): string {
  const at = code.lastIndexOf(MAP);
  if (at === -1) return code;
  const map = JSON.parse(Buffer.from(code.slice(at + MAP.length), 'base64').toString('utf8')) as object;
  const { sourcesContent: _, ...positions } = map as { readonly sourcesContent?: unknown };
  return `${code.slice(0, at + MAP.length)}${Buffer.from(JSON.stringify(positions)).toString('base64')}`;
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

const silent = (): void => undefined;

/** The bundler tells of every step; only what goes wrong is of interest, and that it throws. */
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
