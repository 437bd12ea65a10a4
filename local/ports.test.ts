import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { isFree, reservePorts } from './ports.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'okra-ports-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('reservePorts', () => {
  it('never gives one port to two stacks', async () => {
    const stacks = [reservePorts(folder), reservePorts(folder)];
    const fifty = Array.from({ length: 50 });
    const ports = await Promise.all(stacks.flatMap((stack) => fifty.map(() => stack.reserve())));
    expect(new Set(ports).size).toBe(100);
    await Promise.all(stacks.map((stack) => stack.release()));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('isFree', () => {
  it('tells a port that is listened on from one that is not', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    expect(await isFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isFree(port)).toBe(true);
  });
});
