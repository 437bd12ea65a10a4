/** What stands at a path of what runs hand over. */
interface PathShape {
  readonly types: readonly string[];
  /** The values of a field that tells alternatives apart. */
  readonly words?: readonly string[];
  /** Whether it is there whenever what holds it is. */
  readonly isAlways: boolean;
}

/** What the runs of a release hand over to the next, path by path. */
export type HandoverShape = Readonly<Record<string, PathShape>>;

/** The fields by which unions are told apart; another value is one that an older release does not know. */
const TELLING = new Set(['is', 'kind', 'do', 'type']);

/** What has names of the user for keys. */
const MAPS = new Set(['troubles', 'repeated', 'matchLabels']);

interface Found {
  readonly path: string;
  readonly value: unknown;
  /** The paths of the fields of an object. */
  readonly fields: readonly string[];
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** All that there is in a value, with the objects and lists within it. */
function pathsIn(value: unknown, path: string): readonly Found[] {
  if (Array.isArray(value)) {
    const items = value.flatMap((one: unknown) => pathsIn(one, `${path}[]`));
    return [{ path, value, fields: [] }, ...items];
  }
  if (typeof value !== 'object' || value === null) return [{ path, value, fields: [] }];
  const isMap = MAPS.has(path.slice(path.lastIndexOf('.') + 1));
  const entries = Object.entries(value).map(([key, one]) => [`${path}.${isMap ? '*' : key}`, one] as const);
  return [
    { path, value, fields: entries.map(([field]) => field) },
    ...entries.flatMap(([field, one]) => pathsIn(one, field)),
  ];
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('.'));
const isTelling = (path: string): boolean => TELLING.has(path.slice(path.lastIndexOf('.') + 1));

/** What handovers have in common, and how they differ. */
export function shapeOf(handovers: readonly unknown[]): HandoverShape {
  const found = handovers.flatMap((one) => pathsIn(one, 'state'));
  const byPath = Map.groupBy(found, ({ path }) => path);
  const shape = [...byPath].map(([path, all]): readonly [string, PathShape] => {
    const holders = byPath.get(parentOf(path)) ?? [];
    const isField = path !== 'state' && !path.endsWith('[]') && !path.endsWith('.*');
    return [
      path,
      {
        types: [...new Set(all.map(({ value }) => typeOf(value)))].toSorted(),
        ...(isTelling(path) ? { words: [...new Set(all.map(({ value }) => String(value)))].toSorted() } : {}),
        isAlways: isField && holders.every(({ fields }) => fields.includes(path)),
      },
    ];
  });
  return Object.fromEntries(shape.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a release of that shape could not read of a handover; more than it knows it leaves alone. */
export function unreadable(shape: HandoverShape, handover: unknown): readonly string[] {
  const always = Map.groupBy(
    Object.keys(shape).filter((path) => shape[path]?.isAlways === true),
    parentOf,
  );
  return pathsIn(handover, 'state').flatMap(({ path, value, fields }) => {
    const known = shape[path];
    if (known === undefined) return [];
    const missing = (always.get(path) ?? []).filter(
      (field) => typeOf(value) === 'object' && !fields.includes(field),
    );
    const isOfType = known.types.includes(typeOf(value));
    const isWord = known.words?.includes(String(value)) ?? true;
    return [
      ...missing.map((field) => `Expected ${field}, got none.`),
      ...(isOfType ? [] : [`Expected ${path} to be ${known.types.join(' or ')}, got ${typeOf(value)}.`]),
      ...(isWord ? [] : [`Expected ${path} to be ${known.words?.join(', ')}, got ${String(value)}.`]),
    ];
  });
}
