/** @typedef {(line: string) => void} Say */

const intervalMillis = 15_000;

/** @param {number} since */
const elapsed = (since) => `${Math.round((Date.now() - since) / 1000)} s`;

/**
 * Does the work while it says when it starts, that it goes on, and how it ends; where the work is one of several, also how much of these is left.
 * @template T
 * @param {Say} say
 * @param {{ name: string, doing: string, done: string, left?: (() => string) | undefined }} words
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(say, { name, doing, done, left }, work) {
  const started = Date.now();
  const rest = () => (left === undefined ? '' : `; ${left()}`);
  say(`${name}: ${doing}${rest()}`);
  const timer = setInterval(() => say(`${name}: still at it, ${elapsed(started)}${rest()}`), intervalMillis);
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

// Two go side by side on an idle machine.
const LEAST_PACE = 0.5;

// What runs for longer than it should may end at any moment, and is not done.
const MOST_CREDIT = 0.9;

/**
 * Estimates how much is left of several works, by the seconds that each takes on an idle machine and by how long the others took here.
 * @param {Readonly<Record<string, number>>} seconds
 * @param {() => number} [now] Milliseconds.
 */
export function workload(seconds, now = Date.now) {
  const began = now();
  const all = Object.entries(seconds);
  /** @type {Map<string, number>} */
  const running = new Map();
  /** @type {Set<string>} */
  const finished = new Set();
  /** @type {(name: string, most: number) => number} */
  const doneOf = (name, most) => {
    const since = running.get(name);
    if (finished.has(name)) return most;
    return since === undefined ? 0 : Math.min((now() - since) / 1000, most * MOST_CREDIT);
  };
  return {
    /** @param {string} name */
    begin: (name) => void running.set(name, now()),
    /** @param {string} name */
    end: (name) => void finished.add(name),
    /** Says how many works are left, and about how long they take. */
    left: () => {
      const total = all.reduce((sum, [, one]) => sum + one, 0);
      const done = all.reduce((sum, [name, one]) => sum + doneOf(name, one), 0);
      const pace = done === 0 ? LEAST_PACE : Math.max(LEAST_PACE, (now() - began) / 1000 / done);
      const minutes = Math.ceil(((total - done) * pace) / 60);
      return `${all.length - finished.size} of ${all.length} left, about ${minutes} min`;
    },
  };
}
