/** Makes something when it is asked for first, and gives it to all who ask; what fails is made again for who asks next. */
export function late<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
