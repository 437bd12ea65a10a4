/**
 * Objects of one kind that are each read alone: one of a form that no schema allows is left out, and does not keep the others from
 * being read. The API server serves what it has stored, whatever the schema is by now.
 */
export interface Shelved<T> extends Iterable<T> {
  readonly length: number;
  filter(holds: (object: T) => boolean): Shelved<T>;
  some(holds: (object: T) => boolean): boolean;
  map<Result>(of: (object: T) => Result): readonly Result[];
  flatMap<Result>(of: (object: T) => Result | readonly Result[]): readonly Result[];
}

/** Is told of an object that could not be read. */
export type Unread<T> = (object: T, error: unknown) => void;

/** Makes objects ones that are each read alone. */
export function shelved<T>(objects: readonly T[], unread: Unread<T>): Shelved<T> {
  const alone =
    <Result>(read: (object: T) => Result, otherwise: Result) =>
    (object: T): Result => {
      try {
        return read(object);
      } catch (error) {
        unread(object, error);
        return otherwise;
      }
    };
  return {
    length: objects.length,
    [Symbol.iterator]: () => objects[Symbol.iterator](),
    filter: (holds) => shelved(objects.filter(alone(holds, false)), unread),
    some: (holds) => objects.some(alone(holds, false)),
    map: (of) => objects.flatMap(alone((object) => [of(object)], [])),
    flatMap: <Result>(of: (object: T) => Result | readonly Result[]) =>
      objects.flatMap(alone<Result | readonly Result[]>(of, [])),
  };
}
