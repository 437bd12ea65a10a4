import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The folders whose code belongs to a room; folders below a room belong to it unless they are in the table as well. */
const top = [
  'activities',
  'cli',
  'clients',
  'crds',
  'deploy',
  'domain',
  'elbv2-proxy',
  'local',
  'watchers',
  'workflows',
];

const root = import.meta.dirname;

/** The room of a file: with `domain`, `activities`, `clients` and `watchers` the folder below them, if there is one. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (!file.includes('/')) return file;
  const hasRooms = ['activities', 'clients', 'domain', 'watchers'].includes(first);
  return hasRooms && !second.endsWith('.ts') ? `${first}/${second}` : first;
}

/** What the table in docs/design.md says: each room, the rooms and the packages that its files import. */
function rowsOf(page: string): Map<string, { readonly rooms: string[]; readonly packages: string[] }> {
  const table = page.slice(page.indexOf('| room | imports | packages |')).split('\n\n')[0] ?? '';
  const names = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return new Map(
    table
      .split('\n')
      .slice(2)
      .map((row) => {
        const [room = '', rooms, packages] = row.split('|').slice(1);
        return [names(room)[0] ?? '', { rooms: names(rooms), packages: names(packages) }];
      }),
  );
}

const isProduct = (file: string): boolean =>
  file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/');

/** What the files of each room import. */
async function importsAsTheyAre(): Promise<
  Map<string, { readonly rooms: string[]; readonly packages: string[] }>
> {
  const files = (
    await Promise.all(
      top.map(async (folder) =>
        (await readdir(join(root, folder), { recursive: true })).map((file) => posix.join(folder, file)),
      ),
    )
  )
    .flat()
    .concat('config.ts', 'worker.ts')
    .filter(isProduct);
  const seen = new Map<string, { rooms: Set<string>; packages: Set<string> }>();
  for (const file of files) {
    const room = roomOf(file);
    const of = seen.get(room) ?? { rooms: new Set(), packages: new Set() };
    seen.set(room, of);
    const specifiers = specifiersIn(readFileSync(join(root, file), 'utf8'));
    const far = specifiers.filter((one) => !one.startsWith('.') && !one.startsWith('node:'));
    const near = specifiers.filter((one) => one.startsWith('.') && !one.endsWith('.json'));
    for (const specifier of far) of.packages.add(packageOf(specifier));
    for (const specifier of near) of.rooms.add(roomOf(posix.join(posix.dirname(file), specifier)));
    of.rooms.delete(room);
  }
  return new Map(
    [...seen].map(([room, { rooms, packages }]) => [
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

/** A row of the table, as the page has it. */
const rowOf = (room: string, { rooms, packages }: { rooms: string[]; packages: string[] }): string => {
  const listed = (names: string[]): string => names.map((name) => `\`${name}\``).join(', ');
  return `| \`${room}\` | ${listed(rooms)} | ${listed(packages)} |`;
};

describe('the table of rooms in docs/design.md', () => {
  it('says what each room imports, as it is', async () => {
    const rows = rowsOf(readFileSync(join(root, 'docs/design.md'), 'utf8'));
    const asItIs = await importsAsTheyAre();
    const written = [...rows].map(([room, imports]) => rowOf(room, imports)).toSorted();
    expect(written).toEqual([...asItIs].map(([room, imports]) => rowOf(room, imports)).toSorted());
  });

  it('lets nobody below import someone above', async () => {
    const above: Readonly<Record<string, readonly string[]>> = {
      crds: [
        'domain',
        'workflows',
        'activities',
        'clients',
        'watchers',
        'cli',
        'local',
        'config.ts',
        'worker.ts',
      ],
      domain: ['workflows', 'activities', 'clients', 'watchers', 'cli', 'local', 'config.ts', 'worker.ts'],
      workflows: ['clients', 'watchers', 'cli', 'local', 'config.ts', 'worker.ts'],
      clients: ['activities', 'watchers', 'cli', 'local', 'worker.ts'],
      activities: ['watchers', 'cli', 'local', 'worker.ts'],
      watchers: ['activities', 'cli', 'local', 'worker.ts'],
      'elbv2-proxy': [
        'crds',
        'domain',
        'workflows',
        'activities',
        'clients',
        'watchers',
        'cli',
        'local',
        'config.ts',
      ],
    };
    const wrong = [...(await importsAsTheyAre())].flatMap(([room, { rooms }]) =>
      rooms
        .filter((to) => above[room.split('/')[0] ?? '']?.includes(to.split('/')[0] ?? ''))
        .map((to) => `${room} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });
});
