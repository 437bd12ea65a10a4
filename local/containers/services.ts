import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { provision } from '../provision.mjs';
import { serviceTools } from '../tools.mjs';
import { debianWith } from './debian.ts';
import { startEngine, type Engine } from './engine.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = join(import.meta.dirname, 'services');

/** The arguments of docker(1) for docker-compose.yml on images that can be built here. */
export const compose: readonly string[] = [
  'compose',
  `--project-directory=${root}`,
  `--file=${join(root, 'docker-compose.yml')}`,
  `--file=${join(here, 'compose.yaml')}`,
];

/**
 * Builds the images of docker-compose.yml, under the names that it has for them.
 * @param dir the one of the engine, where services/compose.yaml has the folder to build from
 */
export async function buildServices(engine: Engine, dir: string, say: (line: string) => void): Promise<void> {
  const tools = await provision(serviceTools, { env: process.env, say });
  const context = join(dir, 'services');
  const base = join(dir, 'services-base');
  await mkdir(base);
  await cp(await debianWith('services', say), join(base, 'debian.tar'), { preserveTimestamps: true });
  const file = ['--file', join(here, 'base.Dockerfile'), '--tag', 'okra.local/services'];
  await engine.docker('build', ...file, base);
  await cp(here, context, { recursive: true });
  const files = {
    ...tools,
    postgresql: join(dirname(tools['temporal-sql-tool'] ?? ''), 'postgresql'),
    'requirements.txt': join(root, 'local/requirements.txt'),
    'ca.crt': process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt',
  };
  for (const [name, from] of Object.entries(files))
    await cp(from, join(context, name), { recursive: true, preserveTimestamps: true });
  say('docker-compose.yml: building its images');
  await engine.docker(...compose, 'build');
}

/**
 * Starts a Docker daemon with a network, in the namespaces of Linux that main.ts makes. Names that it does not know, it asks
 * for elsewhere, and is silent when nobody answers: Temporal's clients would wait for that longer than they do for Temporal.
 * @param ownAddress one of this machine that containers reach
 */
export async function startServicesEngine(dir: string, ownAddress: string): Promise<Engine> {
  const names = createSocket('udp4', (query, { address, port }) => {
    // An answer: no such name.
    query.writeUInt16BE(0x8183, 2);
    names.send(query, port, address);
  });
  names.bind(53, ownAddress);
  await once(names, 'listening');
  const engine = await startEngine(dir, () => undefined, [`--dns=${ownAddress}`]);
  return {
    docker: (...args) => engine.docker(...args),
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
      names.close();
    },
  };
}
