import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { cached, cacheRoot } from '../cache.mjs';
import { outputOf } from '../run.mjs';
import { SYSTEM_PATH } from './here.mjs';

/** What comes from packages of Debian, since no registry of images can be reached. */
const contents = {
  node: { suite: 'bookworm', variant: 'minbase', packages: ['ca-certificates'] },
  distroless: {
    suite: 'trixie',
    variant: 'extract',
    packages: ['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates', 'tzdata', 'netbase', 'base-files'],
  },
  services: {
    suite: 'bookworm',
    variant: 'minbase',
    packages: ['ca-certificates', 'netcat-openbsd', 'openssl', 'postgresql', 'python3-venv'],
  },
  // Compose 2, which an older Debian lacks.
  compose: { suite: 'trixie', variant: 'extract', packages: ['docker-compose'] },
} as const;

export type Contents = keyof typeof contents;

/** Gives an archive of the files of Debian's packages, which is kept. */
export async function debianWith(name: Contents, say: (line: string) => void): Promise<string> {
  const { suite, variant, packages } = contents[name];
  const folder = join(cacheRoot(process.env), 'containers', `debian-${name}`);
  await mkdir(dirname(folder), { recursive: true });
  await cached({ folder, say }, async (draft) => {
    say(`Debian ${suite} for ${name}: installing (once)`);
    const args = [
      // The user of apt may not write to /dev/null everywhere.
      '--aptopt=APT::Sandbox::User "root"',
      `--variant=${variant}`,
      `--include=${packages.join(',')}`,
      suite,
      join(draft, 'debian.tar'),
    ];
    await outputOf('mmdebstrap', args, { env: { ...process.env, PATH: SYSTEM_PATH } });
  });
  return join(folder, 'debian.tar');
}
