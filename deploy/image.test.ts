import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { version, bin, devDependencies, engines } = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

interface Stage {
  readonly base: string;
  readonly name: string;
  /** Its instructions, each on one line. */
  readonly instructions: readonly string[];
}

const stages: readonly Stage[] = read('deploy/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split(/^FROM /m)
  .slice(1)
  .map((text) => {
    const [from = '', ...instructions] = text.split('\n').filter((line) => line !== '');
    const [, base = '', name = ''] = /^(?:--platform=\S+ )?(\S+) AS (\S+)$/.exec(from) ?? [];
    return { base, name, instructions };
  });

const image = stages.at(-1);
const copies = stages.flatMap(({ instructions }) =>
  instructions.flatMap((line) => {
    const [, from, files = ''] = /^COPY (?:--from=(\S+) )?(.+) \S+$/.exec(line) ?? [];
    return files === '' ? [] : [{ from, files: files.split(' ') }];
  }),
);

describe('the image', () => {
  it('is the last stage, which docker-compose.yml names', () => expect(image?.name).toBe('okra'));

  it('runs as a user other than root that Kubernetes can tell by its number', () => {
    expect(image?.instructions).toContain('USER 65532:65532');
    for (const file of ['charts/okra/templates/deployments.yaml', 'kustomize/base/worker.yaml'])
      expect(read(`deploy/${file}`)).toContain('runAsUser: 65532');
  });

  it('starts the program of the package, without a shell', () => {
    const [entrypoint] = image?.instructions.filter((line) => line.startsWith('ENTRYPOINT')) ?? [];
    expect(entrypoint).toBe(`ENTRYPOINT ["/nodejs/bin/node", "/okra/${bin['okrad']}"]`);
    expect(image?.instructions.filter((line) => line.startsWith('RUN'))).toEqual([]);
  });

  it('copies only what there is', () => {
    const missing = copies
      .filter(({ from }) => from === undefined)
      .flatMap(({ files }) => files)
      .filter((file) => !existsSync(join(root, file)));
    const names = stages.map(({ name }) => name);
    expect(missing).toEqual([]);
    expect(copies.filter(({ from }) => from !== undefined && !names.includes(from))).toEqual([]);
  });

  it('is built with the Node.js that the project pins, and runs on the same major', () => {
    const pinned = devDependencies['node'] ?? '';
    const outside = stages.filter(({ base }) => !stages.some(({ name }) => name === base));
    const [last, ...others] = outside.map(({ base }) => base).toReversed();
    expect(new Set(others)).toEqual(new Set([`node:${pinned}-bookworm-slim`]));
    expect(last).toBe(`gcr.io/distroless/nodejs${pinned.split('.')[0]}-debian13:nonroot`);
    expect(engines.node).toContain(`>=${pinned.split('.')[0]}`);
  });

  it.each([
    ['deploy/charts/okra/Chart.yaml', `version: ${version}\nappVersion: ${version}\n`],
    ['deploy/charts/okra-crds/Chart.yaml', `version: ${version}\nappVersion: ${version}\n`],
    ['deploy/kustomize/base/kustomization.yaml', `newTag: ${version}\n`],
    ['docker-compose.yml', `okra:${version}`],
    ['deploy/Dockerfile', `org.opencontainers.image.version=${version} `],
  ])('has the version of the package in %s', (file, want) => expect(read(file)).toContain(want));

  it('has a source for each program of the package', () => {
    const sources = Object.values(bin).map((path) =>
      path.replace(/^(dist\/cli|cli\/bin)\//, 'cli/').replace(/[.]js$/, '.ts'),
    );
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
