import { Client, Connection } from '@temporalio/client';

/** A client for those who do without Temporal: it connects to nothing until it is asked for something. */
export const noTemporal = (address: string): Client =>
  new Client({ connection: Connection.lazy({ address }) });
