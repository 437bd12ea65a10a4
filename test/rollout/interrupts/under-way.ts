import { Context } from '@temporalio/activity';

/** How many activities of each run are under way in this process. */
export class UnderWay {
  readonly #counts = new Map<string, number>();

  /** How many of a run are. */
  of(runId: string): number {
    return this.#counts.get(runId) ?? 0;
  }

  /** Counts activities while they run. */
  counting<Activities extends object>(activities: Activities): Activities {
    return Object.fromEntries(
      Object.entries(activities).map(([name, activity]) => [
        name,
        (...args: unknown[]): Promise<unknown> =>
          this.#during(() => (activity as (...all: unknown[]) => Promise<unknown>)(...args)),
      ]),
    ) as Activities;
  }

  async #during(run: () => Promise<unknown>): Promise<unknown> {
    const runId = Context.current().info.workflowExecution?.runId ?? '';
    this.#counts.set(runId, this.of(runId) + 1);
    try {
      return await run();
    } finally {
      this.#counts.set(runId, this.of(runId) - 1);
    }
  }
}
