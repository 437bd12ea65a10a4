/** @typedef {(line: string) => void} Say */

/**
 * @typedef {object} Work One of several that are done together.
 * @property {string} name
 * @property {number} seconds About how long it takes.
 * @property {string} chain Works of one chain are done one after the other.
 */

const heartbeatMillis = 60_000;

// What runs for longer than it should may end at any moment, and is not done.
const leastLeft = 0.1;

/** @param {number} millis */
const inSeconds = (millis) => `${Math.round(millis / 1000)} s`;

/**
 * Reports each of several works as it starts and ends, and once a minute which ones run and about how long the rest takes.
 * @param {Say} say
 * @param {{ doing: string, done: string }} words
 * @param {readonly Work[]} works
 * @param {{ lanes?: number }} [how] How many run at once.
 */
export function progressOf(say, { doing, done }, works, { lanes = 1 } = {}) {
  /** @type {Map<Work, number>} */
  const running = new Map();
  /** @type {Map<Work, number>} */
  const took = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  let heartbeat;
  const beat = () => {
    const names = [...running.keys()].map(({ name }) => name).join(', ');
    say(`still ${doing} ${names}; ${works.length - took.size} of ${works.length} left, ${left()}`);
  };
  /** Estimates the rest by what each work should take, and by how long those that ended, or are overdue, took here. */
  const left = () => {
    const spent = new Map([...running].map(([work, since]) => [work, (Date.now() - since) / 1000]));
    const own = paceOf([...took]);
    const pace = paceOf([...took, ...[...spent].filter(([work, one]) => one > work.seconds * own)]);
    /** @type {(work: Work) => number} */
    const restOf = (work) =>
      Math.max(work.seconds * pace - (spent.get(work) ?? 0), work.seconds * pace * leastLeft);
    /** @type {(some: readonly Work[]) => number} */
    const restOfAll = (some) => some.reduce((total, work) => total + restOf(work), 0);
    const open = works.filter((work) => !took.has(work));
    const chains = open.map(({ chain }) => open.filter((work) => work.chain === chain));
    const longest = Math.max(restOfAll(open) / lanes, ...chains.map(restOfAll));
    return `about ${Math.ceil(longest / 60)} min`;
  };
  /**
   * @template T
   * @param {string} name
   * @param {() => Promise<T>} perform
   */
  const during = async (name, perform) => {
    const work = works.find((one) => one.name === name);
    if (work === undefined)
      throw new Error(`Expected a work out of ${works.map((one) => one.name).join(', ')}, got ${name}.`);
    const place = works.length > 1 ? `${took.size + running.size + 1} of ${works.length}: ` : '';
    const since = Date.now();
    running.set(work, since);
    heartbeat ??= setInterval(beat, heartbeatMillis);
    say(`${doing} ${place}${name}`);
    try {
      const result = await perform();
      say(`${name}: ${done} in ${inSeconds(Date.now() - since)}`);
      took.set(work, (Date.now() - since) / 1000);
      return result;
    } catch (error) {
      say(`${name}: failed after ${inSeconds(Date.now() - since)}`);
      throw error;
    } finally {
      running.delete(work);
      if (running.size === 0) {
        clearInterval(heartbeat);
        heartbeat = undefined;
      }
    }
  };
  return { left, during };
}

/**
 * How long works took, compared with what they should take.
 * @param {readonly (readonly [Work, number])[]} measured
 */
function paceOf(measured) {
  const expected = measured.reduce((total, [{ seconds }]) => total + seconds, 0);
  return expected === 0 ? 1 : measured.reduce((total, [, one]) => total + one, 0) / expected;
}
