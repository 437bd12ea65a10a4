import pino from 'pino';
import type { DestinationStream, LevelWithSilent, Logger, LoggerOptions } from 'pino';

/** Takes events: `log.info({ cell }, 'rollout started')`. */
export type Log = Logger;

/** Makes a log that writes events of a level and above to standard output or elsewhere, one line of JSON each. */
export function createLog(level: LevelWithSilent, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
