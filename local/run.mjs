import { spawn } from 'node:child_process';

/**
 * @typedef {object} Ended
 * @property {number} status Exit status; 127 when the program could not be started.
 * @property {string} output What it wrote to both streams.
 */

/**
 * Runs a program to its end and collects what it prints; a program that is not there answers like a shell, with status 127.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal | undefined }} [options]
 * @returns {Promise<Ended>}
 */
export function run(command, args, { cwd, env, signal } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    // go passes an interrupt on to its compilers; a SIGTERM would leave them running.
    const interrupt = () => void child.kill('SIGINT');
    signal?.addEventListener('abort', interrupt, { once: true });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.once('error', (error) => resolve({ status: 127, output: error.message }));
    child.once('close', (code) => {
      signal?.removeEventListener('abort', interrupt);
      resolve({ status: code ?? 1, output });
    });
  });
}

/**
 * Runs a program to its end and gives what it printed; throws with the end of that when it fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export async function outputOf(command, args, options) {
  const { status, output } = await run(command, args, options);
  if (status === 0) return output;
  throw new Error(`${command} ${args.join(' ')} ended with status ${status}:\n${lastLines(output, 60)}`);
}

/**
 * The last lines of a text, indented, for a message to people.
 * @param {string} text
 * @param {number} [count]
 */
export function lastLines(text, count = 20) {
  const lines = text.trimEnd().split('\n').slice(-count);
  return lines.map((line) => `    ${line}`).join('\n');
}
