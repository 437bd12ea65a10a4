import { formatKey, keyOf } from '../../domain/model/ids.ts';
import type { Informed, ObjectEvent } from '../../watchers/event.ts';

/** What has become of objects that changed together; undefined: it is gone. */
export type News<T> = readonly (readonly [key: string, object: T | undefined])[];

/** Whose news are gathered, and who takes them. */
interface Gathering<T> {
  /** The objects that are of interest; undefined: all. */
  readonly isWanted?: ((object: T) => boolean) | undefined;
  readonly take: (news: News<T>) => void;
  /** Told of what went wrong where news were taken. */
  readonly broken: (error: unknown) => void;
}

/** Gathers what is told at once, as a whole list is: each change of what is known copies it. */
export function gathered<T extends Informed>({
  isWanted = () => true,
  take,
  broken,
}: Gathering<T>): { readonly onEvent: (event: ObjectEvent<T>) => void; readonly flush: () => void } {
  const known = new Set<string>();
  const news = new Map<string, T | undefined>();
  const flush = (): void => {
    const all = [...news];
    news.clear();
    if (all.length > 0) take(all);
  };
  const flushSoon = (): void => {
    try {
      flush();
    } catch (error) {
      broken(error);
    }
  };
  return {
    flush,
    onEvent: ({ type, object }) => {
      const key = formatKey(keyOf(object));
      const isThere = type !== 'delete' && isWanted(object);
      if (!isThere && !known.has(key)) return;
      if (isThere) known.add(key);
      else known.delete(key);
      if (news.size === 0) queueMicrotask(flushSoon);
      news.set(key, isThere ? object : undefined);
    },
  };
}
