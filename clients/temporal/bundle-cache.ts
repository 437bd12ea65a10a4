import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folders of which a bundle of the workflows is made, besides packages. */
export const BUNDLED_FROM = ['workflows', 'domain', 'crds'] as const;
/** What makes a bundle of them. */
export const BUNDLED_BY = ['clients/temporal/workflow-bundle.ts', 'clients/temporal/latin1.ts'] as const;

const root = fileURLToPath(new URL('../../', import.meta.url));
/** npm writes here which packages it has installed. */
const INSTALLED = 'node_modules/.package-lock.json';
/** Bundles of sources that are no longer there go after this time. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The folder in which okrad keeps bundles; only its user writes there, since what lies there is run. */
export function bundleFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CACHE_HOME: base = '' } = env;
  return join(base === '' ? join(homedir(), '.cache') : base, 'okra', 'workflows');
}

/** A digest of all that a bundle is made of, and of where that lies, which its stack traces tell; undefined where it cannot be said which packages are installed. */
export async function bundleKey(folder = root): Promise<string | undefined> {
  const hash = createHash('sha256').update(`${process.version}\0${folder}`);
  try {
    hash.update(await readFile(join(folder, INSTALLED)));
  } catch {
    return undefined;
  }
  for (const path of [...BUNDLED_BY, ...(await sources(folder))])
    hash.update(`\0${path}\0`).update(await readFile(join(folder, path)));
  return hash.digest('hex');
}

async function sources(folder: string): Promise<readonly string[]> {
  const found = await Promise.all(
    BUNDLED_FROM.map(async (part) =>
      (await readdir(join(folder, part), { recursive: true })).map((path) => join(part, path)),
    ),
  );
  return found
    .flat()
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .toSorted();
}

/** Gives the bundle that is kept under its key, or makes one and keeps it; where it cannot be kept, it is made each time. */
export async function keptBundle(
  { folder, keyOf }: { readonly folder: string; readonly keyOf: () => Promise<string | undefined> },
  bundle: () => Promise<string>,
): Promise<string> {
  const key = await keyOf();
  if (key === undefined) return bundle();
  const file = join(folder, `${key}.js`);
  const kept = await read(file);
  if (kept !== undefined) return kept;
  const code = await bundle();
  // Nobody knows what it is made of when a source was edited meanwhile.
  if ((await keyOf()) === key) await keep(folder, file, code).catch(() => undefined);
  return code;
}

const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** The first line is the digest of the rest: what was cut off by a crash of the machine is not run. */
async function read(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const end = text.indexOf('\n');
  const code = text.slice(end + 1);
  return end !== -1 && text.slice(0, end) === digestOf(code) ? code : undefined;
}

/** Replaces a file as a whole, so that several processes may do so at once. */
async function keep(folder: string, file: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${randomUUID()}.draft`);
  try {
    await writeFile(draft, `${digestOf(code)}\n${code}`, { mode: 0o600 });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  for (const name of await readdir(folder)) {
    const old = join(folder, name);
    if (Date.now() - (await stat(old)).mtimeMs > KEPT_MS) await rm(old, { force: true });
  }
}
