import { formatKey, keyOf, type ObjectKey } from '../../domain/model/ids.ts';
import { selectorOf, type SelectingSpec } from '../../domain/versions/version-label.ts';
import type { LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { isRecord } from '../../domain/model/fields.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { storedKinds, type Objects, type Stored } from '../kinds.ts';

/** An object that configures a load balancer. */
export type LoadBalancerConfig = Objects[`${LoadBalancerType}Config`];

/** What is known of the objects that decide where a message goes. */
export type View = { readonly [Kind in Stored]: Shelf<Objects[Kind]> };

/** The objects of one kind. */
export interface Shelf<T> {
  get(key: ObjectKey): T | undefined;
  list(namespace?: string): Shelved<T>;
  /** Those of a namespace that stand under all of these words; where nothing stands under words, and otherwise too, it may give more. */
  under(namespace: string, words: readonly string[]): Shelved<T>;
}

interface Store<T> extends Shelf<T> {
  apply(event: ObjectEvent<T>): void;
}

interface StoreOptions<T> {
  readonly wordsOf?: ((object: T) => readonly string[]) | undefined;
  readonly unread?: Unread<T> | undefined;
}

/** Makes an empty store. */
export function createStore<T extends Informed>({
  wordsOf,
  unread = () => undefined,
}: StoreOptions<T> = {}): Store<T> {
  // By place and key: all objects, those of each namespace, and those that stand under each word there.
  const places = new Map<string, Map<string, T>>();
  const at = (place: string): ReadonlyMap<string, T> => places.get(place) ?? new Map<string, T>();
  const placesOf = (object: T): readonly string[] => {
    const { namespace } = keyOf(object);
    return ['', namespace, ...(wordsOf?.(object) ?? []).map((word) => placeOf(namespace, word))];
  };
  const stored = (place: string): Shelved<T> => shelved([...at(place).values()], unread);
  return {
    get: (key) => at('').get(formatKey(key)),
    list: (namespace = '') => stored(namespace),
    under: (namespace, words) => {
      const [fewest = namespace] = words
        .map((word) => placeOf(namespace, word))
        .toSorted((a, b) => at(a).size - at(b).size);
      return stored(wordsOf === undefined ? namespace : fewest);
    },
    apply: ({ type, object }) => {
      const key = formatKey(keyOf(object));
      const old = at('').get(key);
      const now = new Set(type === 'delete' ? [] : placesOf(object));
      for (const place of old === undefined ? [] : placesOf(old)) {
        if (now.has(place)) continue;
        places.get(place)?.delete(key);
        if (at(place).size === 0) places.delete(place);
      }
      for (const place of now)
        places.set(place, (places.get(place) ?? new Map<string, T>()).set(key, object));
    },
  };
}

const placeOf = (namespace: string, word: string): string => `${namespace} ${word}`;

/** A label, or what a selector asks for, as a word under which objects stand. */
export const labelWords = (labels: Readonly<Record<string, string>> | undefined): readonly string[] =>
  Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);

/** Under which words objects stand of which there may be many in a namespace: target groups under their labels, Cells under those that they ask for. */
const words: { readonly [Kind in Stored]?: (object: Objects[Kind]) => readonly string[] } = {
  AWSTargetGroup: ({ metadata }) => labelWords(metadata.labels),
  Cell: ({ spec }) => selectorWords(spec),
};

/** The words under which a Cell stands; one that asks for no certain label stands under the empty one. */
function selectorWords(spec: SelectingSpec): readonly string[] {
  // One of a form that no schema allows has no spec, and must not stop the others.
  const asked = isRecord(spec) ? labelWords(selectorOf(spec)?.matchLabels) : [];
  return asked.length === 0 ? [ANY] : asked;
}

/** The word under which those stand that may take whatever labels there are. */
export const ANY = '';

type Stores = { readonly [Kind in Stored]: Store<Objects[Kind]> };

/** Makes an empty store for each kind whose objects are remembered. */
export const createStores = (
  unread: (kind: Stored, object: Informed, error: unknown) => void = () => undefined,
): Stores =>
  // An empty store is one of any kind.
  Object.fromEntries(
    storedKinds.map((kind) => [kind, storeOf(kind, (object, error) => unread(kind, object, error))]),
  ) as Stores;

// What an object of the kind stands under is asked of objects of the kind alone.
const storeOf = (kind: Stored, unread: Unread<Informed>): Store<Informed> =>
  createStore({ wordsOf: words[kind] as ((object: Informed) => readonly string[]) | undefined, unread });

/** Objects of one kind, each read alone: one of a form that no schema allows is left out, and does not hide the others. */
export interface Shelved<T> extends Iterable<T> {
  readonly length: number;
  filter(holds: (object: T) => boolean): Shelved<T>;
  some(holds: (object: T) => boolean): boolean;
  map<Result>(of: (object: T) => Result): readonly Result[];
  flatMap<Result>(of: (object: T) => Result | readonly Result[]): readonly Result[];
}

/** Is told of an object that could not be read. */
export type Unread<T> = (object: T, error: unknown) => void;

function shelved<T>(objects: readonly T[], unread: Unread<T>): Shelved<T> {
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
