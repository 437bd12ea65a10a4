/** Does something with each of many, so many at a time, and answers in their order. */
export async function inBatches<T, R>(
  items: readonly T[],
  size: number,
  perform: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let begin = 0; begin < items.length; begin += size) {
    results.push(...(await Promise.all(items.slice(begin, begin + size).map(perform))));
  }
  return results;
}
