/** The numbers from 0 on. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

// So many at a time that the servers are busy, and none waits for long.
const AT_ONCE = 8;

/** Performs something for each item, some at a time. */
export async function forEach<T>(items: readonly T[], perform: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await perform(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
