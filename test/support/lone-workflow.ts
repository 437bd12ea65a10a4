import type { RawValue, SignalDefinition, UpdateDefinition } from '@temporalio/common';
import type { CellRolloutInput } from '../../workflows/cell-rollout.ts';

/** What the run of a workflow learns about itself; tests change it. */
export const info = {
  workflowId: 'cell/default/web',
  runId: '0123456789abcdef',
  historyLength: 10,
  continueAsNewSuggested: false,
  targetWorkerDeploymentVersionChanged: false,
};

type Handler = (sent?: RawValue) => unknown;

/** The handlers that the workflow has set, by type and name: `signal changed`. */
export const handlers = new Map<string, Handler>();

/** The run continues as another, which begins with this. */
export class Renewed extends Error {
  readonly input: CellRolloutInput;
  constructor(input: CellRolloutInput) {
    super('The run continues as another.');
    this.input = input;
  }
}

/** Lets everything continue that can. */
export const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Lets everything continue until something has happened. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await turn();
}

/** A scope that nobody cancels. */
export class LoneScope {
  static readonly current = (): object => ({ cancelRequested: new Promise(() => undefined) });
  static readonly nonCancellable = (run: () => unknown): unknown => run();
  readonly consideredCancelled = false;
  readonly run = (run: () => unknown): unknown => run();
}

/** The functions of Temporal for a workflow that runs in a test, without a worker. */
export const lone = {
  workflowInfo: () => info,
  patched: () => true,
  allHandlersFinished: () => true,
  setHandler: ({ type, name }: SignalDefinition | UpdateDefinition<unknown>, handle: Handler) =>
    void handlers.set(`${type} ${name}`, handle),
  condition: async (happened: () => boolean) => {
    await until(happened);
    return true;
  },
  CancellationScope: LoneScope,
  setCurrentDetails: () => undefined,
  upsertSearchAttributes: () => undefined,
  makeContinueAsNewFunc: () => (input: CellRolloutInput) => Promise.reject(new Renewed(input)),
};
