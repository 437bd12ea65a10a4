import type { Log } from '../log.ts';
import { untilRegistered } from './search-attributes.ts';
import type { Temporal } from './temporal.ts';

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
