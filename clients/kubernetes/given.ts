type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Leaves out the keys without values. */
export const given = <T extends object>(from: T): Given<T> =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as Given<T>;
