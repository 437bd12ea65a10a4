import { isGrpcServiceError } from '@temporalio/client';
import type { Connection } from '@temporalio/client';
import {
  OKRA_CELL,
  OKRA_KIND,
  OKRA_NAMESPACE,
  OKRA_PHASE,
  OKRA_VERSION,
} from '../workflows/search-attributes.ts';
import type { Log } from './log.ts';

const names = [OKRA_KIND, OKRA_NAMESPACE, OKRA_CELL, OKRA_VERSION, OKRA_PHASE].map(({ name }) => name);

// temporal.api.enums.v1.IndexedValueType
const KEYWORD = 2;

// google.rpc.Code
const codes = { ALREADY_EXISTS: 6, PERMISSION_DENIED: 7, UNIMPLEMENTED: 12, UNAUTHENTICATED: 16 };

/** Registers those of Okra's search attributes that a Temporal namespace does not have. */
export async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
  log: Log,
): Promise<void> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = names.filter((name) => customAttributes[name] === undefined);
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    log.info({ namespace, searchAttributes: missing }, 'search attributes registered');
  } catch (error) {
    // Another process was faster.
    if (hasCode(error, codes.ALREADY_EXISTS)) return;
    if (!hasCode(error, codes.PERMISSION_DENIED) && !hasCode(error, codes.UNIMPLEMENTED)) throw error;
    log.warn({ namespace, command: command(namespace), err: error }, 'search attributes not registered');
  }
}

/** Whether an error says that the server knows this process, or its credentials, and does not let it in. */
export const isRefusal = (error: unknown): boolean =>
  hasCode(error, codes.UNAUTHENTICATED) || hasCode(error, codes.PERMISSION_DENIED);

const hasCode = (error: unknown, code: number): boolean => isGrpcServiceError(error) && error.code === code;

// What somebody with the right to do so has to run, where Okra itself has not got it.
function command(namespace: string): string {
  const attributes = names.map((name) => `--name ${name} --type Keyword`).join(' ');
  return `temporal operator search-attribute create --namespace ${namespace} ${attributes}`;
}
