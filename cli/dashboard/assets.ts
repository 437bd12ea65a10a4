import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const own = new URL('assets/', import.meta.url);
// What Node would load of it is for servers.
const lit = new URL('../', import.meta.resolve('lit-html'));

/** The files of the page by their paths; nothing else is ever read. */
const files: ReadonlyMap<string, URL> = new Map([
  ['/', new URL('index.html', own)],
  ...[
    'page.css',
    'icon.svg',
    'page.mjs',
    'state.mjs',
    'server.mjs',
    'words.mjs',
    'frame.mjs',
    'parts.mjs',
    'cells.mjs',
    'cell.mjs',
    'chart.mjs',
  ].map((name) => [`/${name}`, new URL(name, own)] as const),
  ...['lit-html.js', 'directive.js', 'directive-helpers.js', 'directives/repeat.js'].map(
    (name) => [`/lit-html/${name}`, new URL(name, lit)] as const,
  ),
]);

/** Reads a file of the page; undefined when there is none of that path. */
export async function assetAt(path: string) {
  const file = files.get(path);
  if (file === undefined) return undefined;
  return {
    type: types[extname(file.pathname)] ?? 'application/octet-stream',
    body: await readFile(file),
  };
}
