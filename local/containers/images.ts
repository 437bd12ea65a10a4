import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { outputOf } from '../run.mjs';
import { debianWith } from './debian.ts';
import { startEngine, type Engine } from './engine.ts';
import { buildServices } from './services.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = import.meta.dirname;

/** The images of a build, each as `docker save` writes it. */
export interface Images {
  /** The image of okrad, by the name that the chart has. */
  readonly okra: string;
  readonly pause: string;
  /** What `docker image inspect` says of the image of okrad. */
  readonly inspected: string;
}

export const PAUSE_IMAGE = 'okra.local/pause:1';

/** Builds the image of okrad by its Dockerfile, on bases of Debian's packages, since no registry can be reached here. */
export async function buildImages(dir: string, say: (line: string) => void): Promise<Images> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const dockerfile = await readFile(join(root, 'deploy/Dockerfile'), 'utf8');
  const names = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+[:/]\S+) AS/gm)].map(
    ([, name = '']) => name,
  );
  await using engine = await startEngine(dir, say);
  for (const name of new Set(names)) {
    await buildBase(engine, name.startsWith('gcr.io/') ? 'distroless' : 'node', name, say);
  }
  const tag = `okra:${version}`;
  say(`${tag}: building`);
  const file = ['--file', join(root, 'deploy/Dockerfile'), '--target', 'okra', '--tag', tag];
  await engine.docker('build', '--network=host', ...file, root);
  await buildPause(engine, dir);
  await buildServices(engine, dir, say);
  const images = {
    okra: join(dir, 'okra.tar'),
    pause: join(dir, 'pause.tar'),
    inspected: join(dir, 'image.json'),
  };
  await engine.docker('save', '--output', images.okra, tag);
  await engine.docker('save', '--output', images.pause, PAUSE_IMAGE);
  await writeFile(images.inspected, await engine.docker('image', 'inspect', tag));
  return images;
}

async function buildBase(
  engine: Engine,
  base: 'node' | 'distroless',
  name: string,
  say: (line: string) => void,
): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), 'okra-base-'));
  try {
    await cp(await debianWith(base, say), join(context, 'debian.tar'));
    await cp(join(root, 'node_modules/node/bin/node'), join(context, 'node'));
    if (base === 'node') {
      await cp(npmFolder(), join(context, 'npm'), { recursive: true });
      await cp(
        process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt',
        join(context, 'ca.crt'),
      );
    } else {
      await writeFile(
        join(context, 'passwd'),
        'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
      );
    }
    say(`${name}: building a stand-in`);
    const file = ['--file', join(here, `${base}.Dockerfile`), '--tag', name];
    await engine.docker('build', '--network=host', ...file, context);
  } finally {
    await rm(context, { recursive: true });
  }
}

/** The folder of the npm that is in the PATH. */
function npmFolder(): string {
  const folder = (process.env['PATH'] ?? '').split(':').find((one) => existsSync(join(one, 'npm')));
  if (folder === undefined) throw new Error('npm not found in the PATH.');
  return dirname(dirname(realpathSync(join(folder, 'npm'))));
}

async function buildPause(engine: Engine, dir: string): Promise<void> {
  const context = join(dir, 'pause');
  await mkdir(context);
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
  await outputOf('go', ['build', '-o', join(context, 'pause'), join(here, 'pause.go')], { env });
  await engine.docker('build', '--file', join(here, 'pause.Dockerfile'), '--tag', PAUSE_IMAGE, context);
}
