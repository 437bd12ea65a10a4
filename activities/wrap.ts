type Activity = (...args: unknown[]) => Promise<unknown>;

/** Wraps each of some activities, so that something is done around its run. */
export const wrapEach = <Activities extends object>(
  activities: Activities,
  around: (run: () => Promise<unknown>) => Promise<unknown>,
): Activities =>
  Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      (...args: unknown[]) => around(async () => (activity as Activity)(...args)),
    ]),
  ) as Activities;
