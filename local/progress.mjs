/** @typedef {(line: string) => void} Say */

const intervalMillis = 15_000;

/** @param {number} since */
const elapsed = (since) => `${Math.round((Date.now() - since) / 1000)} s`;

/**
 * Does the work while it says when it starts, that it goes on, and how it ends.
 * @template T
 * @param {Say} say
 * @param {{ name: string, doing: string, done: string }} words
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(say, { name, doing, done }, work) {
  const started = Date.now();
  say(`${name}: ${doing}`);
  const timer = setInterval(() => say(`${name}: still at it, ${elapsed(started)}`), intervalMillis);
  try {
    const result = await work();
    say(`${name}: ${done} in ${elapsed(started)}`);
    return result;
  } catch (error) {
    say(`${name}: failed after ${elapsed(started)}`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
