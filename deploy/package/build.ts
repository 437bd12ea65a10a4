import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUILT_BUNDLE, bundleWorkflows } from '../../clients/temporal/workflow-bundle.ts';
import { bundlePrograms } from './bundle.ts';

const root = join(import.meta.dirname, '../..');

/** What the dashboard serves as it is. */
const PAGE = 'cli/dashboard/assets';

/** What the programs read of package.json, which is that of the project without what only a checkout needs. */
async function describePackage(): Promise<string> {
  const { name, version, license, type, engines } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  return `${JSON.stringify({ name, version, license, type, engines, private: true }, undefined, 2)}\n`;
}

/** What a build takes beyond the programs. */
export interface BuildOptions {
  /** Modules that get a file of their own, so that they can be imported alone. */
  readonly also?: readonly string[];
}

/** Bundles the programs into a folder, and the workflows beside them. */
export async function build(folder: string, { also = [] }: BuildOptions = {}): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([
    bundlePrograms(folder, also),
    bundleWorkflows().then((code) => writeFile(join(folder, BUILT_BUNDLE), code)),
    cp(join(root, PAGE), join(folder, PAGE), { recursive: true, filter: (file) => !file.endsWith('.json') }),
    describePackage().then((text) => writeFile(join(folder, 'package.json'), text)),
  ]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await build(resolve(process.argv[2] ?? join(root, 'dist')));
