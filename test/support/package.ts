import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_BUNDLE } from '../../clients/temporal/workflow-bundle.ts';
import { okradIn } from '../../local/okrad.ts';
import { buildRunnable } from '../../local/package.ts';
import { startReaper } from '../../local/reaper.ts';

/** Modules that tests run or import alone, besides the programs. */
const also = [
  'test/support/okrads/main.ts',
  'cli/dashboard/assets.ts',
  'clients/datadog/queries.ts',
] as const;

/** The package as it ships, built once for a run of the tests. */
export interface BuiltPackage {
  /** The folder with its `dist` and its `node_modules`. */
  readonly folder: string;
  /** The program okrad. */
  readonly okrad: string;
  /** The bundled workflows. */
  readonly workflowBundle: string;
}

/** Gives the path of what a module has become in a package. */
export const builtModule = ({ folder }: BuiltPackage, source: (typeof also)[number]): string =>
  join(folder, 'dist', source.replace(/\.ts$/, '.js'));

/** Builds the package into a temporary folder that goes with this, or with this process. */
export async function buildPackage(): Promise<AsyncDisposable & { readonly built: BuiltPackage }> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'okra-package-'));
  const reaper = startReaper(folder);
  undo.defer(() => reaper.close());
  await buildRunnable(folder, { also });
  const built = {
    folder,
    okrad: okradIn(folder),
    workflowBundle: join(folder, 'dist', BUILT_BUNDLE),
  };
  const end = undo.move();
  return { built, [Symbol.asyncDispose]: () => end.disposeAsync() };
}
