const refuse = (): never => {
  throw new Error('nothing is asked here');
};

/** What a test has of something, of which whatever else is asked for throws. */
export const unused = <T extends object>(known: Partial<T>): T =>
  new Proxy(known, {
    get: (target, key) => (key in target ? Reflect.get(target, key) : refuse) as unknown,
  }) as T;
