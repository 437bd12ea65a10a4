// Removes what the programs have in their bundle: from node_modules, or with --manifest from the dependencies in package.json.
// Left are the packages that stay outside, or are served, and those that they need.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Packages that stay outside the bundle: thousands of files that few need, and the Temporal SDK, which finds its thread and its native code by path. */
export const external = /^@(datadog|temporalio)\//;

/** Packages whose files the dashboard serves as they are. */
const served = ['lit-html'];

/** @param {string} name */
const isOutside = (name) => external.test(name) || served.includes(name);

/**
 * Gives the dependencies that a published package names.
 * @param {Readonly<Record<string, string>>} dependencies
 */
export const publishedOf = (dependencies) =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => isOutside(name)));

/**
 * @typedef {object} Locked A package of a lockfile.
 * @property {Readonly<Record<string, string>>} [dependencies]
 * @property {Readonly<Record<string, string>>} [optionalDependencies]
 * @property {Readonly<Record<string, string>>} [peerDependencies]
 */

/**
 * Gives the paths of the packages that are needed at run time beside the bundle.
 * @param {Readonly<Record<string, Locked>>} packages those of a lockfile, by their paths
 */
export function keptOf(packages) {
  const kept = new Set();
  /** @param {string} path */
  const keep = (path) => {
    if (kept.has(path)) return;
    kept.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = find(packages, path, name);
      if (found !== undefined) keep(found);
    }
  };
  for (const name of Object.keys(publishedOf(packages['']?.dependencies ?? {}))) keep(`node_modules/${name}`);
  return kept;
}

/**
 * Finds what Node.js would load: the package of this name in the nearest node_modules.
 * @param {Readonly<Record<string, Locked>>} packages
 * @param {string} from
 * @param {string} name
 * @returns {string | undefined}
 */
function find(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

function emptyModules() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const kept = keptOf(packages);
  const isKept = (/** @type {string} */ path) =>
    [...kept].some((one) => one === path || one.startsWith(`${path}/`));
  const left = Object.keys(packages).filter((path) => path !== '' && !isKept(path));
  for (const path of [...left, 'node_modules/.bin', 'node_modules/.package-lock.json'])
    rmSync(path, { recursive: true, force: true });
}

function emptyManifest() {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const published = { ...manifest, dependencies: publishedOf(manifest.dependencies) };
  writeFileSync('package.json', `${JSON.stringify(published, undefined, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--manifest')) emptyManifest();
  else emptyModules();
}
