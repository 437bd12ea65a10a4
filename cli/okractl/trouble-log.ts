import pino from 'pino';
import type { Log } from '../../clients/log.ts';
import { fieldsIn, textIn } from '../../domain/model/shape.ts';

const WARN = pino.levels.values['warn'] ?? 40;

/** Takes what an informer logs: a warning is a trouble, with the status by which Kubernetes answered if it did, and what comes after it says that it is over. */
export function troubleLog(trouble: (why: string | undefined, status?: number) => void): Log {
  return pino(
    { base: null },
    {
      write: (line) => {
        const { level, err } = fieldsIn(JSON.parse(line));
        if (typeof level !== 'number' || level < WARN) return trouble(undefined);
        const { message, status } = fieldsIn(err);
        const why = textIn(message) ?? 'it is not known why';
        trouble(why, typeof status === 'number' ? status : undefined);
      },
    },
  );
}
