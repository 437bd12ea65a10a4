/** An object without the keys that may have no value; those that always have one stay required. */
export type Given<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> };

/** Leaves out the keys without values: an object that is cut down has none where it had none before. */
export const given = <T extends object>(from: T): Given<T> =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as Given<T>;

/** Leaves out some keys of an object. */
export const omit = <T extends object, Key extends keyof T>(from: T, ...keys: readonly Key[]): Omit<T, Key> =>
  Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key as Key))) as Omit<T, Key>;
