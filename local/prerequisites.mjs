import { tmpdir } from 'node:os';

import { run } from './run.mjs';
import { lowestGo, lowestNode, lowestPython } from './tools.mjs';
import { isAtLeast, readVersion } from './versions.mjs';

/**
 * Says what is wrong with the running Node, if anything.
 * @param {string} version
 * @returns {string | undefined}
 */
export function complainAboutNode(version) {
  if (isAtLeast(version, lowestNode)) return undefined;
  return `Expected Node ${lowestNode} or newer, got ${version}. Install it from https://nodejs.org and run again.`;
}

/**
 * Says what is wrong with the installed Go, if anything; `goEnvironment` is what `go env GOVERSION GOTOOLCHAIN` printed.
 * @param {string | undefined} goEnvironment
 * @returns {string | undefined}
 */
export function complainAboutGo(goEnvironment) {
  const expected = `Expected Go ${lowestGo} or newer to build the tools of the local stack`;
  const remedy = 'Install it from https://go.dev/dl, put its bin folder on the PATH, and run again.';
  if (goEnvironment === undefined) return `${expected}, got none. ${remedy}`;
  const [release = '', toolchain = ''] = goEnvironment.trim().split('\n');
  // The first release of a line may be called go1.26, without a third number.
  const version = readVersion(`${release.replace(/^go/, '')}.0`) ?? '0.0.0';
  if (isAtLeast(version, lowestGo)) return undefined;
  const switches = toolchain === 'auto' || /\+(auto|path)$/.test(toolchain);
  if (switches && isAtLeast(version, '1.21.0')) return undefined;
  return `${expected}, got ${release} with GOTOOLCHAIN=${toolchain}. ${remedy}`;
}

/**
 * Asks for Go when something has to be built, and says what is wrong with it, if anything.
 * @param {import('./survey.mjs').Found} found
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
export async function checkGo({ missing }, env) {
  if (missing.every((name) => name === 'moto')) return undefined;
  // Outside of every module, so that a go.mod with a toolchain line does not answer in Go's place.
  const answer = await run('go', ['env', 'GOVERSION', 'GOTOOLCHAIN'], { cwd: tmpdir(), env });
  return complainAboutGo(answer.status === 0 ? answer.output : undefined);
}

/**
 * Asks for a Python with venv when moto has to be installed, and says what is wrong with it, if anything.
 * @param {import('./survey.mjs').Found} found
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
export async function checkPython({ missing, python }, env) {
  if (!missing.includes('moto')) return undefined;
  const remedy =
    'On Debian and Ubuntu: `apt install python3 python3-venv`; elsewhere https://www.python.org. Then run again.';
  if (python === undefined) {
    return `Expected Python ${lowestPython} or newer for the AWS emulator moto, got none on the PATH. ${remedy}`;
  }
  const answer = await run(python.command, ['-c', 'import venv, ensurepip'], { env });
  if (answer.status === 0) return undefined;
  return `Expected Python ${python.version} (${python.command}) to have the modules venv and ensurepip, it has not. ${remedy}`;
}
