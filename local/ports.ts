import { mkdirSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

import { tryLock } from './lock.mjs';

/** Ports that stay reserved among all stacks of this user until they are released. */
export interface Ports {
  readonly reserve: () => Promise<number>;
  readonly release: () => Promise<void>;
}

// Below the range from which the kernel takes source ports: a connection there would hold a port that a restart wants back.
const lowest = 20_000;
const highest = 32_000;

/** Opens a set of reservations; the folder is shared by the stacks that must not get in each other's way. */
export function reservePorts(folder = join(tmpdir(), `okra-ports-${userInfo().username}`)): Ports {
  const held: (() => Promise<void>)[] = [];
  mkdirSync(folder, { recursive: true });
  const attempt = async (): Promise<number | undefined> => {
    const port = randomInt(lowest, highest);
    const lock = await tryLock(join(folder, String(port)));
    if ('holder' in lock) return undefined;
    if (!(await isFree(port))) {
      await lock.release();
      return undefined;
    }
    held.push(lock.release);
    return port;
  };
  return {
    reserve: async () => {
      for (let tries = 0; tries < 100; tries += 1) {
        const port = await attempt();
        if (port !== undefined) return port;
      }
      throw new Error(
        `Expected a free port on 127.0.0.1 from ${lowest} to ${highest}, found none in 100 tries.`,
      );
    },
    release: async () => {
      await Promise.all(held.splice(0).map((release) => release()));
    },
  };
}

/** Tells whether nothing listens on a port of 127.0.0.1. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
