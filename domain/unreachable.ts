/** Makes a switch exhaustive: a case that was forgotten does not compile. */
export function unreachable(value: never): never {
  throw new Error(`Expected every case to be handled, got ${JSON.stringify(value)}.`);
}
