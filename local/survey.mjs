import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { cacheRoot } from './cache.mjs';
import { goTools } from './go-tools.mjs';
import { run } from './run.mjs';
import { lowestPython, motoVersion } from './tools.mjs';
import { isAtLeast, misfit, readVersion } from './versions.mjs';

/**
 * @typedef {object} Found Where each tool lies, and which ones have to be built.
 * @property {Record<string, string>} executables
 * @property {string[]} missing
 * @property {{ command: string, version: string } | undefined} python
 */

/**
 * Looks for tools in OKRA_TOOLS, on the PATH, in KUBEBUILDER_ASSETS and in the cache; says why an installed one is passed over.
 * @param {readonly string[]} tools
 * @param {{ env: NodeJS.ProcessEnv, say: import('./progress.mjs').Say }} where
 * @returns {Promise<Found>}
 */
export async function survey(tools, { env, say }) {
  const python = tools.includes('moto') ? await findPython(env) : undefined;
  const places = await Promise.all(
    tools.map((name) => (name === 'moto' ? findMoto(python, env) : findGoTool(name, { env, say }))),
  );
  /** @type {Record<string, string>} */
  const executables = {};
  tools.forEach((name, index) => {
    const place = places[index];
    if (place !== undefined) executables[name] = place;
  });
  return { executables, missing: tools.filter((name) => executables[name] === undefined), python };
}

/**
 * The cached folder of a tool that Go builds.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
export function goToolFolder(name, env) {
  return join(cacheRoot(env), `${name}-${goTool(name).version}`);
}

/**
 * The cached virtual environment of moto; it belongs to one Python and one list of packages.
 * @param {string} pythonVersion
 * @param {NodeJS.ProcessEnv} env
 */
export function motoFolder(pythonVersion, env) {
  const list = readFileSync(new URL('requirements.txt', import.meta.url));
  const digest = createHash('sha256').update(list).digest('hex').slice(0, 8);
  return join(cacheRoot(env), `moto-${motoVersion}-python${pythonVersion}-${digest}`);
}

/**
 * The definition of a tool by its name.
 * @param {string} name
 */
export function goTool(name) {
  const tool = goTools[name];
  if (tool === undefined)
    throw new Error(`Expected a tool out of ${Object.keys(goTools).join(', ')}, got ${name}.`);
  return tool;
}

/**
 * @param {string} name
 * @param {{ env: NodeJS.ProcessEnv, say: import('./progress.mjs').Say }} where
 */
async function findGoTool(name, { env, say }) {
  const { fromPath, versionArguments, fit, version } = goTool(name);
  for (const candidate of fromPath ? installed(name, env) : []) {
    const answer = await run(candidate, versionArguments, { env });
    const reason = misfit(fit, version, answer.status === 0 ? readVersion(answer.output) : undefined);
    if (reason === undefined) return candidate;
    say(`${name}: passing over ${candidate}, which ${reason}`);
  }
  const built = join(goToolFolder(name, env), name);
  return isExecutable(built) ? built : undefined;
}

/**
 * @param {Found['python']} python
 * @param {NodeJS.ProcessEnv} env
 */
async function findMoto(python, env) {
  if (python === undefined) return undefined;
  const interpreter = join(motoFolder(python.version, env), 'bin', 'python');
  return isExecutable(interpreter) ? interpreter : undefined;
}

/** @param {NodeJS.ProcessEnv} env */
async function findPython(env) {
  for (const name of ['python3', 'python', 'python3.13', 'python3.12', 'python3.11', 'python3.10']) {
    for (const command of installed(name, env)) {
      const answer = await run(command, ['--version'], { env });
      const version = readVersion(answer.output);
      if (answer.status === 0 && version !== undefined && isAtLeast(version, lowestPython))
        return { command, version };
    }
  }
  return undefined;
}

/**
 * Every copy of a program in OKRA_TOOLS, on the PATH and in KUBEBUILDER_ASSETS, in this order.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function installed(name, env) {
  const path = (env['PATH'] ?? '').split(delimiter);
  const folders = [env['OKRA_TOOLS'] ?? '', ...path, env['KUBEBUILDER_ASSETS'] ?? ''];
  const copies = folders.filter((folder) => folder !== '').map((folder) => join(folder, name));
  /** @type {Map<string, string>} */
  const byFile = new Map();
  // On many systems /bin is a link to /usr/bin: one copy, found twice.
  for (const copy of copies.filter(isExecutable)) {
    const file = realpathSync(copy);
    if (!byFile.has(file)) byFile.set(file, copy);
  }
  return [...byFile.values()];
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
