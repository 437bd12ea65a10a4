import { sleep as sleepByClock, type Sleep } from '../clients/backoff.ts';
import type { Log } from '../clients/log.ts';
import { untilRegistered } from '../clients/temporal/search-attributes.ts';
import type { Temporal } from '../clients/temporal/temporal.ts';

/** The database of Temporal, as far as it can be told from another one. */
export interface TemporalDatabase {
  /** Reads what a new database has again; empty when the server does not say it. */
  read(): Promise<string>;
  /** Sets up in it what Okra needs, or waits until someone has done it; nothing when that is there. */
  prepare(signal: AbortSignal): Promise<void>;
}

const CALL_MILLISECONDS = 10_000;

/** Tells a database by the id of the namespace, which Temporal chooses when it makes one. */
export function temporalDatabase({ connection, client }: Temporal, log: Log): TemporalDatabase {
  const { namespace } = client.options;
  return {
    read: async () => {
      const { namespaceInfo } = await connection.withDeadline(Date.now() + CALL_MILLISECONDS, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
      return namespaceInfo?.id ?? '';
    },
    prepare: (signal) => untilRegistered(connection, { namespace, log, signal }),
  };
}

interface DatabaseOptions {
  readonly database: TemporalDatabase;
  /** Called when the database is another one, in which nothing is known of what ran. */
  readonly onLost: () => void;
  readonly log: Pick<Log, 'warn' | 'debug'>;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** How long nobody may notice, in milliseconds. */
const LOOK_MILLISECONDS = 10_000;

/** Notices until the signal is given when Temporal has another database than before, and sets it up. */
export async function watchDatabase(options: DatabaseOptions): Promise<void> {
  const { signal, sleep = sleepByClock } = options;
  for (let known: string | undefined; !signal.aborted; await sleep(LOOK_MILLISECONDS, signal)) {
    known = await look(known, options);
  }
}

async function look(
  known: string | undefined,
  { database, onLost, log, signal }: DatabaseOptions,
): Promise<string | undefined> {
  try {
    const found = await database.read();
    if (found === '' || found === known) return known;
    await database.prepare(signal);
    if (known === undefined) return found;
    log.warn({ before: known, found }, 'temporal has lost its database, starting again what ran');
    onLost();
    return found;
  } catch (error) {
    // Temporal is away, which those say who need it.
    log.debug({ err: error }, 'temporal did not say which database it has');
    return known;
  }
}
