import fc from 'fast-check';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/** One thing that is done to a place in a value. */
type Change =
  | { readonly is: 'Remove' | 'Unknown' | 'Repeat' | 'SwapKeys' | 'Grow' }
  | { readonly is: 'Put'; readonly value: unknown }
  | { readonly is: 'Move'; readonly from: number };

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const hasFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !isList(value);

function partOf(value: unknown, key: string | number): unknown {
  if (isList(value)) return value[Number(key)];
  return hasFields(value) ? value[key] : undefined;
}

/** The path of every place in a value, its own first. */
function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  const keys = isList(value) ? [...value.keys()] : hasFields(value) ? Object.keys(value) : [];
  return [at, ...keys.flatMap((key) => pathsOf(partOf(value, key), [...at, key]))];
}

/** The value with another one at a path; with nothing there when it is undefined. */
function write(value: unknown, path: Path, put: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return put;
  if (isList(value)) {
    const list = value.map((one, index) => (index === key ? write(one, rest, put) : one));
    return list.filter((one) => one !== undefined);
  }
  return hasFields(value) ? { ...value, [key]: write(value[key], rest, put) } : value;
}

/** What a change makes of what it finds; what it does not apply to stays. */
function changed(found: unknown, change: Change, moved: unknown): unknown {
  switch (change.is) {
    case 'Remove':
      return undefined;
    case 'Put':
      return change.value;
    case 'Move':
      return moved;
    case 'Repeat':
      return isList(found) ? [...found, ...found] : found;
    case 'Unknown':
      return hasFields(found) ? { ...found, unknown: { deep: [1] } } : found;
    case 'SwapKeys': {
      if (isList(found)) return found.toReversed();
      if (!hasFields(found)) return found;
      const values = Object.values(found);
      return Object.fromEntries(Object.keys(found).map((key, index) => [key, values.at(index - 1)]));
    }
    case 'Grow':
      if (typeof found === 'string') return `${found}${found}`;
      return typeof found === 'number' ? found * 2 + 1 : found;
  }
}

const scalars = [
  '',
  'x',
  '30',
  '1h',
  '2026-02-30',
  'Größe',
  'x'.repeat(5000),
  true,
  false,
  0,
  -1,
  1,
  101,
  0.5,
  1e9,
];
const edges: readonly unknown[] = [
  ...scalars,
  null,
  [],
  {},
  [null],
  [''],
  ['x'],
  [{}],
  { '': '' },
  { x: 'y' },
  { constructor: 'x' },
];

const kinds = ['Remove', 'Unknown', 'Repeat', 'SwapKeys', 'Grow'] as const;

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ is: fc.constantFrom(...kinds) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('Put'), value: fc.constantFrom(...edges) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('Move'), from: fc.nat() }) },
);

/** Values that differ from these in one place or two, whatever fields they have. */
export function mutated<Sample extends { readonly spec: unknown }>(
  samples: readonly Sample[],
): fc.Arbitrary<Sample> {
  const changes = fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 2 });
  return fc.tuple(fc.constantFrom(...samples), changes).map(([sample, list]) => ({
    ...sample,
    spec: list.reduce<unknown>((spec, [place, one]) => {
      const paths = pathsOf(spec);
      const at = (index: number): Path => paths[index % paths.length] ?? [];
      const read = (path: Path): unknown => path.reduce(partOf, spec);
      const moved = one.is === 'Move' ? read(at(one.from)) : undefined;
      return write(spec, at(place), changed(read(at(place)), one, moved));
    }, sample.spec),
  }));
}
