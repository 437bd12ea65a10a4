import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, posix, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import { external } from './keep-external.mjs';
import { BUILT_BUNDLE, bundleWorkflows } from '../../clients/temporal/workflow-bundle.ts';

const root = join(import.meta.dirname, '../..');

const PAGE = 'cli/dashboard/assets';

/** What the programs read of package.json: that of the project without what only a checkout needs, with the commit in its version where that is known (OKRA_REVISION). */
async function describePackage(): Promise<string> {
  const { name, version, license, type, engines } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  const revision = process.env['OKRA_REVISION'] ?? '';
  const built = revision === '' ? version : `${String(version)}-${revision}`;
  return `${JSON.stringify({ name, version: built, license, type, engines, private: true }, undefined, 2)}\n`;
}

export interface BuildOptions {
  /** Modules that get a file of their own, so that they can be imported alone. */
  readonly also?: readonly string[];
}

/** Bundles the programs into a folder, and the workflows beside them. */
export async function build(folder: string, { also = [] }: BuildOptions = {}): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([
    bundlePrograms(folder, also).then((ids) => writeNotices(ids, folder)),
    bundleWorkflows().then((code) => writeFile(join(folder, BUILT_BUNDLE), code)),
    cp(join(root, PAGE), join(folder, PAGE), { recursive: true, filter: (file) => !file.endsWith('.json') }),
    describePackage().then((text) => writeFile(join(folder, 'package.json'), text)),
  ]);
}

/** The programs, by the names of their files in the package. okrad shares nothing with the others, whose sharing would cut it into many pieces. */
const programs = [
  { 'cli/okrad': 'cli/okrad.ts' },
  {
    'cli/okra': 'cli/okra.ts',
    'cli/okractl': 'cli/okractl.ts',
    'cli/kubectl-complete-okra': 'cli/kubectl-complete-okra.ts',
  },
] as const;

/** Bundles the programs into a folder, each with what it loads at its start in few files; what is imported later stays apart. */
async function bundlePrograms(folder: string, also: readonly string[]): Promise<readonly string[]> {
  const [okrad, commands] = programs;
  const more = Object.fromEntries(also.map((file) => [file.replace(/\.ts$/, ''), file]));
  return [...(await bundle({ ...okrad, ...more }, folder)), ...(await bundle(commands, folder))];
}

/** Bundles programs, and gives the files that went into them. */
async function bundle(files: Readonly<Record<string, string>>, folder: string): Promise<readonly string[]> {
  const input = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(root, file)]));
  await using made = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    external,
    plugins: [keepPlaces, mapOwnAlone],
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(`cannot bundle the programs: ${message}`);
    },
  });
  const { output } = await made.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'modules/[name]-[hash].js',
    keepNames: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Apart from the project's own modules: where one map stands for both, what it says of packages is wrong.
    codeSplitting: { groups: [{ name: 'packages', test: /\/node_modules\//, entriesAware: true }] },
  });
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** Writes the licences of the packages in the bundle, which their authors ask to go with every copy. */
async function writeNotices(files: readonly string[], folder: string): Promise<void> {
  const paths = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const notices = await Promise.all([...new Set(paths)].toSorted().map(noticeOf));
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), [...new Set(notices)].join('\n'));
}

async function noticeOf(path: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(path, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  const files = (await readdir(path)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')));
  const title = `${String(name)} ${String(version)} (${String(license)})`;
  return `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n${texts.join('\n')}\n`;
}

const MARK = '__OKRA_PLACE_OF__';

/** Modules that look for files beside them find them as if each were where its source is. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: (code, id) => {
    const place = relative(root, id).split(sep).join('/');
    if (place.startsWith('node_modules/') || place.startsWith('..')) return undefined;
    if (/import\.meta\.(dirname|filename)/.test(code))
      throw new Error(`Expected ${place} to find files by import.meta.url, which is kept in a bundle.`);
    if (!code.includes('import.meta.url')) return undefined;
    const mark = `${MARK}(${JSON.stringify(place.replace(/\.ts$/, '.js'))})`;
    // No line moves.
    return { code: code.replaceAll('import.meta.url', mark), map: null };
  },
  renderChunk: (code, { fileName }) => {
    if (!code.includes(MARK)) return undefined;
    const placed = code.replaceAll(new RegExp(`${MARK}\\("([^"]+)"\\)`, 'g'), (_, place: string) => {
      const path = posix.relative(posix.dirname(fileName), place);
      return `new URL(${JSON.stringify(path.startsWith('.') ? path : `./${path}`)}, import.meta.url).href`;
    });
    return { code: placed, map: null };
  },
};

/** Source maps tell of the project's own lines alone: Node.js reads a map when it loads the file, and those of packages would cost what the bundle gains. */
const mapOwnAlone: Plugin = {
  name: 'map-own-alone',
  transform: (code, id) => (id.includes('/node_modules/') ? { code, map: { mappings: '' } } : undefined),
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await build(resolve(process.argv[2] ?? join(root, 'dist')));
