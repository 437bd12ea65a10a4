import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A file that leads a browser to an address, for its owner alone: what a program is started with, all on the machine can read. */
export interface Door {
  readonly url: string;
  readonly remove: () => Promise<void>;
}

/** Writes the file of an address. */
export async function doorTo(address: string): Promise<Door> {
  // Made for its owner alone.
  const folder = await mkdtemp(join(tmpdir(), 'okra-dashboard-'));
  const path = join(folder, 'open.html');
  const html = `<!doctype html><title>Okra</title><meta http-equiv="refresh" content="0; url=${address}">`;
  await writeFile(path, html, { mode: 0o600 });
  return { url: pathToFileURL(path).href, remove: () => rm(folder, { recursive: true, force: true }) };
}
