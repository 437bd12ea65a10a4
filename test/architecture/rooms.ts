import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The folders of the product; folders below a room belong to it unless they are rooms of their own. */
export const productRooms = [
  'activities',
  'cli',
  'clients',
  'config',
  'crds',
  'deploy',
  'domain',
  'watchers',
  'workflows',
] as const;

/** Lists the files of a folder and of those below it. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true }).map((file) => posix.join(folder, String(file)));

/** The folders of which each folder below is a room of its own, the deeper ones first. */
const withRooms = ['domain/rollout', 'activities', 'clients', 'domain', 'watchers'];

/** What the files of a room import from outside of it. */
export interface Imports {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
}

/** Names the room of a file: a folder, or the file itself where it is at the top. */
function roomOf(file: string): string {
  if (file.startsWith('local/elbv2-proxy/')) return 'local/elbv2-proxy';
  const within = withRooms.find((folder) => file.startsWith(`${folder}/`));
  const depth = within === undefined ? 1 : within.split('/').length + 1;
  const folders = posix.dirname(file).split('/');
  return file.includes('/') ? folders.slice(0, depth).join('/') : file;
}

const isCode = (file: string): boolean =>
  file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/');

/** Reads what each room imports. */
export function readImports(): ReadonlyMap<string, Imports> {
  const files = [...productRooms, 'local'].flatMap(filesIn).concat('worker.ts').filter(isCode);
  const found = new Map<string, { rooms: Set<string>; packages: Set<string> }>();
  for (const file of files) {
    const room = roomOf(file);
    const of = found.get(room) ?? { rooms: new Set(), packages: new Set() };
    found.set(room, of);
    const specifiers = specifiersIn(readFileSync(join(root, file), 'utf8'));
    const far = specifiers.filter((one) => !one.startsWith('.') && !one.startsWith('node:'));
    const near = specifiers.filter((one) => one.startsWith('.') && !one.endsWith('.json'));
    for (const specifier of far) of.packages.add(packageOf(specifier));
    for (const specifier of near) of.rooms.add(roomOf(posix.join(posix.dirname(file), specifier)));
    of.rooms.delete(room);
  }
  return new Map(
    [...found].map(([room, { rooms, packages }]) => [
      room,
      { rooms: [...rooms].toSorted(), packages: [...packages].toSorted() },
    ]),
  );
}

const specifiersIn = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)[^;]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm)].map(
    ([, from, bare, late]) => from ?? bare ?? late ?? '',
  );

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Writes the table of rooms, as docs/design.md shows it: those of one folder as one. */
export function writeRoomTable(imports: ReadonlyMap<string, Imports>): string {
  const topOf = (room: string): string => (room === 'local/elbv2-proxy' ? room : (room.split('/')[0] ?? ''));
  const listed = (names: readonly string[]): string =>
    [...new Set(names)]
      .toSorted()
      .map((name) => `\`${name}\``)
      .join(', ');
  const rows = [...Map.groupBy(imports, ([room]) => topOf(room))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([top, rooms]) => {
      const others = rooms.flatMap(([, of]) => of.rooms.map(topOf)).filter((room) => room !== top);
      return `| \`${top}\` | ${listed(others)} | ${listed(rooms.flatMap(([, of]) => of.packages))} |`;
    });
  return ['| room | imports | packages |', '| --- | --- | --- |', ...rows].join('\n');
}
