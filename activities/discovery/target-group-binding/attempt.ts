import type { Problem } from '../../../domain/discovery/sync-status.ts';
import type { BindingOutcome } from './report.ts';
import { reasonOf, toFailure } from '../../failure.ts';
import { soonest } from '../soonest.ts';

/** Makes a problem of what is thrown, so that the status says it; nothing is undone because of it. */
export async function attempt<T extends BindingOutcome>(
  signal: AbortSignal,
  act: () => Promise<T>,
  targetGroupARN?: string,
): Promise<T | BindingOutcome> {
  try {
    return await act();
  } catch (error) {
    const problem = problemOf(error, { signal, targetGroupARN });
    return { problems: [problem], againInSeconds: soonest([problem]) };
  }
}

/** Says what was thrown, unless that is because the sync was given up. */
export function problemOf(
  error: unknown,
  { signal, targetGroupARN }: { readonly signal: AbortSignal; readonly targetGroupARN?: string | undefined },
): Problem {
  signal.throwIfAborted();
  const cause = toFailure(error);
  const where = targetGroupARN === undefined ? '' : ` in ${targetGroupARN}`;
  const message = `Expected to sync the targets${where}, got: ${cause.message} It is tried again; what is registered stays.`;
  const object = targetGroupARN === undefined ? {} : { object: targetGroupARN };
  return { ...object, reason: reasonOf(cause), message };
}
