import { maybeGetActivator } from '@temporalio/workflow/lib/global-attributes.js';

/**
 * The names of the signals that this run has no handler for, in the order in which they came. A default handler would
 * have them decoded by the SDK, and one that cannot be decoded would fail the workflow task for ever; they wait in a
 * list of the SDK's instead, which is read here.
 */
export const unknownSignals = (): readonly string[] =>
  (maybeGetActivator()?.bufferedSignals ?? []).map(({ signalName }) => signalName ?? '');
