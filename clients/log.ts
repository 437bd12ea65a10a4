import pino from 'pino';
import type { LevelWithSilent, Logger } from 'pino';

/** Takes events: `log.info({ cell }, 'rollout started')`. */
export type Log = Logger;

/** Makes a log that writes events of a level and above to standard output, one line of JSON each. */
export function createLog(level: LevelWithSilent): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
