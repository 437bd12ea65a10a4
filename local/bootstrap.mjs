// Runs before any `npm ci`, on every Node from 20.12 on: plain JavaScript that imports nothing from node_modules.
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readBenchArguments } from './bench/arguments.mjs';
import { componentsOf, readDemoArguments } from './demo/arguments.mjs';
import { installPackages } from './npm-packages.mjs';
import { checkGo, checkPython, complainAboutNode } from './prerequisites.mjs';
import { build } from './provision.mjs';
import { readStackArguments } from './stack-arguments.mjs';
import { survey } from './survey.mjs';
import { componentSets, testTools, toolsFor } from './tools.mjs';

/** @typedef {'demo' | 'test' | 'stack' | 'bench'} Command */

const root = fileURLToPath(new URL('..', import.meta.url));
const usage = 'Usage: node local/bootstrap.mjs <demo|test|stack|bench> [arguments…]';
/** What runs in a process that owns its stack. */
const programs = { demo: 'demo.ts', stack: 'stack-main.ts', bench: 'bench.ts' };
/** Reads the arguments of these programs; those of the tests are read by vitest. */
const readers = { demo: readDemoArguments, stack: readStackArguments, bench: readBenchArguments };
const stop = new AbortController();
/** @type {import('node:child_process').ChildProcess | undefined} */
let child;

/** @param {string} line */
const say = (line) => void process.stderr.write(`${line}\n`);

/**
 * @param {string | undefined} word
 * @returns {word is Command}
 */
const isCommand = (word) => word === 'test' || (word !== undefined && Object.hasOwn(programs, word));

/**
 * What there is to say to someone who asked for help, or for something that there is not.
 * @param {Command} command
 * @param {string[]} args
 */
function explanationOf(command, args) {
  if (command === 'test') return undefined;
  const request = readers[command](args);
  return request.do === 'Explain' ? request : undefined;
}

/**
 * The components of the local stack for which there have to be tools.
 * @param {Command} command
 * @param {string[]} args
 */
function componentsFor(command, args) {
  if (command === 'bench') return componentSets.demo;
  const request = command === 'demo' ? readDemoArguments(args) : undefined;
  return request?.do === 'Show' ? componentsOf(request.wish) : componentSets.full;
}

/**
 * @param {Command} command
 * @param {string[]} args
 */
async function prepare(command, args) {
  const complaint = complainAboutNode(process.versions.node);
  if (complaint !== undefined) throw new Error(complaint);
  const surroundings = { env: process.env, say, signal: stop.signal };
  const tools = [...toolsFor(componentsFor(command, args)), ...(command === 'test' ? testTools : [])];
  const found = await survey(tools, surroundings);
  const complaints = await Promise.all([checkGo(found, process.env), checkPython(found, process.env)]);
  const told = complaints.filter((each) => each !== undefined);
  if (told.length > 0) throw new Error(told.join('\n'));
  if (found.missing.length > 0) say(`To be had once, a few minutes in all: ${found.missing.join(', ')}`);
  await Promise.all(
    [installPackages(root, surroundings), build(found, surroundings)].map((part) => part.catch(abandon)),
  );
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function abandon(error) {
  stop.abort();
  throw error;
}

/**
 * @param {Command} command
 * @param {string[]} args
 * @param {string} counts
 */
function argumentsOf(command, args, counts) {
  if (command !== 'test') return [join(root, 'local', programs[command]), ...args];
  process.env['OKRA_TEST_COUNTS'] = counts;
  const reporters = ['--reporter=default', `--reporter=${join(root, 'test/support/plain-reporter.ts')}`];
  return [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args];
}

/**
 * Runs the program on the project's own Node, and answers with its exit status.
 * All but the tests get a channel, whose end tells them that this process was killed.
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function execute(args) {
  /** @type {'ipc'[]} */
  const channel = command === 'test' ? [] : ['ipc'];
  const bin = join(root, 'node_modules', '.bin');
  const env = {
    // okrad is started many times: what was compiled once is not compiled again.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
    ...process.env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  };
  return new Promise((resolve, reject) => {
    child = spawn(join(bin, 'node'), args, {
      cwd: root,
      env,
      stdio: ['inherit', 'inherit', 'inherit', ...channel],
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** @param {string} counts */
async function printCounts(counts) {
  const line = await readFile(counts, 'utf8').catch(
    () => '0 passed, 0 failed (vitest ended before it counted)',
  );
  await rm(counts, { force: true });
  process.stdout.write(`${line.trim()}\n`);
}

/** @param {Command} command */
async function perform(command) {
  const counts = join(tmpdir(), `okra-test-counts-${process.pid}`);
  await prepare(command, args);
  const status = await execute(argumentsOf(command, args, counts));
  if (command === 'test') await printCounts(counts);
  process.exitCode = status;
}

/** @param {'SIGINT' | 'SIGTERM' | 'SIGHUP'} signal */
function end(signal) {
  stop.abort();
  process.exitCode = 128 + constants.signals[signal];
  child?.kill(signal);
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => end(signal));

// npm passes a signal on to the shell between it and this program, which dies of it without a word to its children.
const parent = process.ppid;
if (process.env['npm_lifecycle_event'] !== undefined) {
  const orphaned = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(orphaned);
    end('SIGTERM');
  }, 500).unref();
}

const [command, ...args] = process.argv.slice(2);
try {
  if (!isCommand(command))
    throw new Error(`Expected demo, test, stack or bench, got ${command ?? 'nothing'}. ${usage}`);
  const explanation = explanationOf(command, args);
  if (explanation === undefined) await perform(command);
  else {
    say(explanation.message);
    process.exitCode = explanation.status;
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode ||= 1;
}
