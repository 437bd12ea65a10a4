import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { BUILT_BUNDLE, bundleWorkflows } from '../../clients/temporal/workflow-bundle.ts';

const root = join(import.meta.dirname, '../..');

/** What the dashboard serves as it is. */
const PAGE = 'cli/dashboard/assets';

/** What the compiled programs read of package.json, which is that of the project without what only a checkout needs. */
async function describePackage(): Promise<string> {
  const { name, version, license, type, engines } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  return `${JSON.stringify({ name, version, license, type, engines, private: true }, undefined, 2)}\n`;
}

/** Runs the compiler that the project pins. */
async function compile(folder: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder];
  try {
    await promisify(execFile)(process.execPath, args);
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    throw new Error(`Expected the programs to compile, got:\n${stdout}`, { cause: error });
  }
}

/** Compiles the programs into a folder, and bundles the workflows beside them; `bundle` is one that was made before. */
export async function build(folder: string, bundle?: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const path = join(folder, BUILT_BUNDLE);
  const bundling =
    bundle === undefined ? bundleWorkflows().then((code) => writeFile(path, code)) : cp(bundle, path);
  await Promise.all([
    compile(folder),
    bundling,
    cp(join(root, PAGE), join(folder, PAGE), { recursive: true, filter: (file) => !file.endsWith('.json') }),
    describePackage().then((text) => writeFile(join(folder, 'package.json'), text)),
  ]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await build(resolve(process.argv[2] ?? join(root, 'dist')));
