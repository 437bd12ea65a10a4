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
    signal.throwIfAborted();
    const cause = toFailure(error);
    const reason = reasonOf(cause);
    const where = targetGroupARN === undefined ? '' : ` in ${targetGroupARN}`;
    const message = `Expected to sync the targets${where}, got: ${cause.message} It is tried again; what is registered stays.`;
    const object = targetGroupARN === undefined ? {} : { object: targetGroupARN };
    return { problems: [{ ...object, reason, message }], againInSeconds: soonest([{ reason, message }]) };
  }
}
