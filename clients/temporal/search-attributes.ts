import { isGrpcServiceError, type ConnectionLike } from '@temporalio/client';
import { OKRA_CELL, OKRA_KIND, OKRA_NAMESPACE, OKRA_PHASE, OKRA_VERSION } from '../../workflows/messages.ts';
import { sleep, waitAfter, unheard, type Waiting } from '../backoff.ts';
import { detailsOf, hasCode, statusCodes } from './grpc-status.ts';
import type { Log } from '../log.ts';

/** The names of Okra's search attributes, which are of the type Keyword. */
export const searchAttributeNames = [OKRA_KIND, OKRA_NAMESPACE, OKRA_CELL, OKRA_VERSION, OKRA_PHASE].map(
  ({ name }) => name,
);

// temporal.api.enums.v1.IndexedValueType
const KEYWORD = 2;

interface RegistrationOptions {
  readonly namespace: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly waiting?: Waiting | undefined;
}

const backoff = { first: 500, longest: 10_000 };

// So long a server may leave open whether it has the attributes; then what needs them is tried.
const UNKNOWN_ATTEMPTS = 6;

/** Registers the search attributes that the namespace lacks, or waits for them: a workflow with an unregistered one never starts. */
export async function untilRegistered(
  connection: ConnectionLike,
  { namespace, log, signal, waiting = unheard }: RegistrationOptions,
): Promise<void> {
  let told: string | undefined;
  for (let attempts = 1; ; attempts += 1) {
    signal.throwIfAborted();
    try {
      // What has just been added cannot be searched for a while.
      const missing = await missingAttributes(connection, namespace);
      if (missing.length === 0) return;
      const refusal = await add(connection, namespace, missing);
      const of = { namespace, searchAttributes: missing };
      const reason = refusal && lacking(namespace, missing, refusal);
      if (reason === undefined) log.info(of, 'search attributes added');
      else if (reason !== told) log.error(of, reason);
      if (reason !== undefined) waiting(reason);
      told = reason;
    } catch (error) {
      if (told === undefined && attempts >= UNKNOWN_ATTEMPTS) {
        log.warn({ namespace, err: error }, 'search attributes cannot be read, continuing');
        return;
      }
      log.debug({ namespace, err: error }, 'search attributes cannot be read, retrying');
    }
    await sleep(waitAfter(attempts, backoff), signal);
  }
}

/** What someone with the right to do so has to run, where Okra itself has not got it. */
export function registration(namespace: string, names: readonly string[] = searchAttributeNames): string {
  const created = names.map((name) => `--name ${name} --type Keyword`).join(' ');
  const added = names.map((name) => `--search-attribute "${name}=Keyword"`).join(' ');
  return (
    `Run \`temporal operator search-attribute create --namespace ${namespace} ${created}\`, ` +
    `or on Temporal Cloud \`tcld namespace search-attributes add --namespace ${namespace} ${added}\`.`
  );
}

const lacking = (namespace: string, missing: readonly string[], refusal: string): string =>
  `search attributes ${missing.join(', ')} not found in the Temporal namespace ${namespace}, and cannot be added: ${refusal}. ` +
  `Nothing is started until they are there. ${registration(namespace, missing)}`;

/** The attributes that cannot be searched for, which can be found out without the rights of an operator. */
export async function missingAttributes(
  connection: ConnectionLike,
  namespace: string,
): Promise<readonly string[]> {
  const found = await Promise.all(
    searchAttributeNames.map(async (name) => {
      try {
        const query = `${name} = "none"`;
        await inTime(connection, () =>
          connection.workflowService.countWorkflowExecutions({ namespace, query }),
        );
        return [];
      } catch (error) {
        if (hasCode(error, statusCodes.INVALID_ARGUMENT)) return [name];
        throw error;
      }
    }),
  );
  return found.flat();
}

async function add(
  connection: ConnectionLike,
  namespace: string,
  names: readonly string[],
): Promise<string | undefined> {
  const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]));
  try {
    await inTime(connection, () =>
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
    return undefined;
  } catch (error) {
    // Another process was faster.
    if (hasCode(error, statusCodes.ALREADY_EXISTS)) return undefined;
    if (isGrpcServiceError(error)) return detailsOf(error);
    throw error;
  }
}

const CALL_MILLISECONDS = 10_000;

const inTime = <R>(connection: ConnectionLike, call: () => Promise<R>): Promise<R> =>
  connection.withDeadline(Date.now() + CALL_MILLISECONDS, call);
