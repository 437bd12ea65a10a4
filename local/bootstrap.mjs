// Runs before any `npm ci`, on every Node from 20.12 on: plain JavaScript that imports nothing from node_modules.
import { spawn } from 'node:child_process';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runAsBatch } from './batch.mjs';
import { readBenchArguments } from './bench/arguments.mjs';
import { whyNoContainers } from './containers/here.mjs';
import { componentsOf, readDemoArguments } from './demo/arguments.mjs';
import { installPackages } from './npm-packages.mjs';
import { checkGo, checkPython, complainAboutNode } from './prerequisites.mjs';
import { build } from './provision.mjs';
import { readStackArguments } from './stack-arguments.mjs';
import { survey } from './survey.mjs';
import { countsLine, readCounts, testRuns } from './tests.mjs';
import { componentSets, containerTools, deployingArgoCD, testTools, toolsFor } from './tools.mjs';

/** @typedef {'demo' | 'test' | 'stack' | 'bench'} Command */

const root = fileURLToPath(new URL('..', import.meta.url));
const usage = 'Usage: node local/bootstrap.mjs <demo|test|stack|bench> [arguments…]';
/** What runs in a process that owns its stack. */
const programs = { demo: 'demo.ts', stack: 'stack-main.ts', bench: 'bench.ts' };
/** Reads the arguments of these programs; those of the tests are read by vitest. */
const readers = { demo: readDemoArguments, stack: readStackArguments, bench: readBenchArguments };
const stop = new AbortController();
/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();

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

const withContainers = '--containers';

/**
 * The tools that are needed besides those of the stack.
 * @param {Command} command
 * @param {string[]} args
 */
function moreToolsFor(command, args) {
  if (command === 'test') return args[0] === withContainers ? containerTools : testTools;
  const request = command === 'demo' ? readDemoArguments(args) : undefined;
  return request?.do === 'Show' && request.wish.applications ? deployingArgoCD : [];
}

/**
 * @param {Command} command
 * @param {string[]} args
 */
async function prepare(command, args) {
  const complaint = complainAboutNode(process.versions.node);
  if (complaint !== undefined) throw new Error(complaint);
  const surroundings = { env: process.env, say, signal: stop.signal };
  const tools = [...toolsFor(componentsFor(command, args)), ...moreToolsFor(command, args)];
  const found = await survey(tools, surroundings);
  const complaints = await Promise.all([checkGo(found, process.env), checkPython(found, process.env)]);
  const told = complaints.filter((each) => each !== undefined);
  if (told.length > 0) throw new Error(told.join('\n'));
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
 * @typedef {object} Execution
 * How a program is run.
 * @property {Readonly<Record<string, string>>} [env] Added to the environment.
 * @property {number} [niceness]
 * @property {boolean} [isShown] Whether its output is shown as it comes.
 * @property {boolean} [isTold] Whether it gets a channel, whose end tells it that this process was killed.
 */

/**
 * Runs a program on the project's own Node, and answers with its exit status and what it printed without being shown.
 * @param {readonly string[]} args
 * @param {Execution} how
 * @returns {Promise<{ readonly status: number, readonly output: string }>}
 */
function execute(args, { env = {}, niceness = 0, isShown = true, isTold = false }) {
  /** @type {'ipc'[]} */
  const channel = isTold ? ['ipc'] : [];
  const bin = join(root, 'node_modules', '.bin');
  const surroundings = {
    // okrad is started many times: what was compiled once is not compiled again.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
    ...process.env,
    ...env,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  };
  return new Promise((resolve, reject) => {
    const out = isShown ? 'inherit' : 'pipe';
    const child = spawn(join(bin, 'node'), args, {
      cwd: root,
      env: surroundings,
      stdio: ['inherit', out, out, ...channel],
    });
    children.add(child);
    if (child.pid !== undefined && niceness !== 0) setPriority(child.pid, niceness);
    /** @type {Buffer[]} */
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => printed.push(data));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      children.delete(child);
      const status = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ status, output: Buffer.concat(printed).toString() });
    });
  });
}

/**
 * Runs tests, and prints what failed and, as the very last line, their counts; answers with the exit status.
 * @param {readonly string[]} args
 */
async function runTests(args) {
  runAsBatch();
  const reporters = ['--reporter=default', `--reporter=${join(root, 'test/support/plain-reporter.ts')}`];
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters];
  const runs = testRuns(args).map((run, index) => ({
    ...run,
    counts: join(tmpdir(), `okra-test-counts-${process.pid}-${index}`),
  }));
  const ended = await Promise.all(
    runs.map(({ args: own, counts, isContained = false, ...how }) =>
      execute([...(isContained ? [join(root, 'local/containers/main.ts')] : []), ...vitest, ...own], {
        ...how,
        env: { OKRA_TEST_COUNTS: counts },
      }),
    ),
  );
  for (const { output } of ended) process.stdout.write(output);
  const { failures, line, isWhole } = await readCounts(runs.map(({ counts }) => counts));
  // Once more: the output of the unit tests stands after what failed in the others, thousands of lines further up.
  for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
  process.stdout.write(`${line}\n`);
  return Math.max(isWhole ? 0 : 1, ...ended.map(({ status }) => status));
}

/** @param {Command} command */
async function perform(command) {
  const reason = command === 'test' && args[0] === withContainers ? whyNoContainers() : undefined;
  if (reason !== undefined) {
    say(`containers: skipped, ${reason}`);
    process.stdout.write(`${countsLine([{ passed: 0, failed: 0, skipped: 1, failures: [] }])}\n`);
    return;
  }
  await prepare(command, args);
  process.exitCode =
    command === 'test'
      ? await runTests(args)
      : (await execute([join(root, 'local', programs[command]), ...args], { isTold: true })).status;
}

/** @param {'SIGINT' | 'SIGTERM' | 'SIGHUP'} signal */
function end(signal) {
  stop.abort();
  process.exitCode = 128 + constants.signals[signal];
  for (const child of children) child.kill(signal);
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
