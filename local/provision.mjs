import { cp } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { cached } from './cache.mjs';
import { buildSeconds, goTools } from './go-tools.mjs';
import { checkGo, checkPython } from './prerequisites.mjs';
import { progressOf } from './progress.mjs';
import { lastLines, run } from './run.mjs';
import { goTool, goToolFolder, motoFolder, survey } from './survey.mjs';
import { motoVersion } from './tools.mjs';

/** @typedef {{ env: NodeJS.ProcessEnv, say: import('./progress.mjs').Say, signal?: AbortSignal | undefined }} Surroundings */

const modules = fileURLToPath(new URL('modules/', import.meta.url));
const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));

/**
 * Answers where each tool lies; builds what is neither installed nor cached.
 * @param {readonly string[]} tools
 * @param {Surroundings} surroundings
 * @returns {Promise<Record<string, string>>}
 */
export async function provision(tools, surroundings) {
  const silent = await survey(tools, { ...surroundings, say: () => undefined });
  if (silent.missing.length === 0) return silent.executables;
  const found = await survey(tools, surroundings);
  const complaints = [await checkGo(found, surroundings.env), await checkPython(found, surroundings.env)];
  const told = complaints.filter((complaint) => complaint !== undefined);
  if (told.length > 0) throw new Error(told.join('\n'));
  return build(found, surroundings);
}

/**
 * Builds what a survey missed. Two builds run at once, never two of one module: these would compile the same packages twice.
 * @param {import('./survey.mjs').Found} found
 * @param {Surroundings} surroundings
 * @returns {Promise<Record<string, string>>}
 */
export async function build(found, surroundings) {
  const executables = { ...found.executables };
  const order = new Set(['kube-apiserver', 'moto', ...Object.keys(goTools)]);
  const queue = [...order].filter((name) => found.missing.includes(name));
  const lanes = Math.min(2, availableParallelism());
  const works = queue.map((name) => ({
    name: titleOf(name),
    seconds: buildSeconds[name] ?? 60,
    chain: moduleOf(name),
  }));
  const progress = progressOf(surroundings.say, { doing: 'building', done: 'built' }, works, { lanes });
  if (works.length > 0)
    surroundings.say(`building ${works.length} tools, once for all clones, ${progress.left()}`);
  const busy = new Set();
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, surroundings.signal ?? failure.signal]);

  const lane = async () => {
    for (;;) {
      const name = queue.find((candidate) => !busy.has(moduleOf(candidate)));
      if (name === undefined || signal.aborted) return;
      queue.splice(queue.indexOf(name), 1);
      busy.add(moduleOf(name));
      executables[name] = await progress.during(titleOf(name), () =>
        buildOne(name, found, { ...surroundings, signal }),
      );
      busy.delete(moduleOf(name));
    }
  };
  const running = Array.from({ length: lanes }, lane);
  await Promise.all(running.map((one) => one.catch((error) => stopOthers(error, failure))));
  surroundings.signal?.throwIfAborted();
  return executables;
}

/** @param {string} name */
const titleOf = (name) => `${name} ${name === 'moto' ? motoVersion : goTool(name).version}`;

/** @param {string} name */
const moduleOf = (name) => goTools[name]?.module ?? name;

/**
 * @param {unknown} error
 * @param {AbortController} failure
 * @returns {never}
 */
function stopOthers(error, failure) {
  failure.abort();
  throw error;
}

/**
 * @param {string} name
 * @param {import('./survey.mjs').Found} found
 * @param {Surroundings} surroundings
 */
async function buildOne(name, found, surroundings) {
  const { env, say, signal } = surroundings;
  if (name === 'moto') {
    if (found.python === undefined) throw new Error('Expected a Python for moto, got none.');
    const python = found.python;
    const folder = motoFolder(python.version, env);
    await cached({ folder, say, signal }, (draft) => installMoto(draft, python.command, surroundings));
    return join(folder, 'bin', 'python');
  }
  const folder = goToolFolder(name, env);
  await cached({ folder, say, signal }, (draft) => compile(name, draft, surroundings));
  return join(folder, name);
}

/**
 * @param {string} name
 * @param {string} draft
 * @param {Surroundings} surroundings
 */
async function compile(name, draft, { env, signal }) {
  const tool = goTool(name);
  const options = {
    cwd: join(modules, tool.module),
    // A go.work or a GOFLAGS of the user's would change what the pinned modules mean.
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' },
    signal,
  };
  const tags = tool.tags === undefined ? [] : ['-tags', tool.tags];
  const flags = ['-trimpath', ...tags, '-ldflags', `-s -w ${tool.ldflags}`.trim()];
  await must('go', ['build', ...flags, '-o', join(draft, name), tool.package], options);
  if (tool.beside === undefined) return;
  const { module, folder } = tool.beside;
  const root = await must('go', ['list', '-m', '-f', '{{.Dir}}', module], options);
  await cp(join(root.trim(), folder), join(draft, basename(folder)), {
    recursive: true,
    filter: (path) => !path.endsWith('kustomization.yaml'),
  });
}

/**
 * @param {string} draft
 * @param {string} python
 * @param {Surroundings} surroundings
 */
async function installMoto(draft, python, { env, signal }) {
  await must(python, ['-m', 'venv', draft], { env, signal });
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
    '--no-deps',
  ];
  await must(join(draft, 'bin', 'python'), [...pip, '-r', requirements], { env, signal });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} options
 */
async function must(command, args, options) {
  const ended = await run(command, args, options);
  if (options?.signal?.aborted) throw new Error('The build was stopped.');
  if (ended.status === 0) return ended.output;
  throw new Error(
    `Expected \`${command} ${args.join(' ')}\` to succeed, it ended with status ${ended.status}:\n` +
      `${lastLines(ended.output)}\n` +
      'Run the same command again. If it fails the same way, check that the module proxy (`go env GOPROXY`) and the\n' +
      'Python index can be reached, and that a few gigabytes are free on the disk of the cache.',
  );
}
