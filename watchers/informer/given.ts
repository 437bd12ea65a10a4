type Given<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Leaves out the keys without values: an object that is cut down has none where it had none before. */
export const given = <T extends object>(from: T): Given<T> =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as Given<T>;
