import { DefaultLogger, IllegalStateError, Runtime } from '@temporalio/worker';

/** Has Temporal's SDK log nothing but errors. A process may say so once, and files of tests share processes. */
export function quietRuntime(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
