import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtBundle, bundleWorkflowsApart } from './workflow-bundle.ts';

describe('a process that bundles the workflows', () => {
  it('gives the code of all of them, without anything that is not deterministic', async () => {
    const code = await bundleWorkflowsApart(new AbortController().signal);
    for (const name of ['cellRollout', 'loadBalancerConfig', 'driftWatch', 'versionGate'])
      expect(code).toContain(name);
    // What a stack trace needs of the sources is where they are.
    expect(Object.keys(mapIn(code))).not.toContain('sourcesContent');
    // The schemas are large, and no workflow parses an object.
    expect(code.includes('./node_modules/zod/')).toBe(false);
    // The bundler writes this at the very end.
    expect(code.trimEnd()).toMatch(/\/\/# sourceMappingURL=data:application\/json\S+$/);
    const own = sourcesIn(code).filter((path) => !path.startsWith('node_modules/'));
    expect(own).toContain('workflows/cell-rollout.ts');
    expect(
      own.filter((path) => !['workflows', 'domain', 'crds'].some((part) => path.startsWith(`${part}/`))),
    ).toEqual([]);
    // All runs of a worker share these modules: what one of them could change, the others would see.
    const modules = own.filter((path) => path.endsWith('.ts'));
    expect((await Promise.all(modules.map(changeableIn))).flat()).toEqual([]);
  });

  it('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const bundling = bundleWorkflowsApart(stop.signal);
    stop.abort();
    await expect(bundling).rejects.toBe(stop.signal.reason);
  });
});

describe('the bundle of a compiled package', () => {
  it('is none in a checkout', () => expect(builtBundle()).toBeUndefined());

  it('lies at the root of the package', async () => {
    const root = await mkdtemp(join(tmpdir(), 'okra-package-'));
    const path = join(root, 'workflow-bundle.js');
    await writeFile(path, '');
    expect(builtBundle(pathToFileURL(`${root}/`))).toBe(path);
    await rm(root, { recursive: true });
  });
});

const root = join(import.meta.dirname, '../..');

/** The lines of a module that keep something which can be changed: variables, and collections that are not read-only. What a WeakMap keeps belongs to objects of one run. */
async function changeableIn(path: string): Promise<readonly string[]> {
  const lines = (await readFile(join(root, path), 'utf8')).split('\n');
  return lines
    .filter(
      (line) =>
        /^(export )?(let|var) /.test(line) ||
        /^(export )?const \w+ = (new (Map|Set)\b|\[\]|\{\})/.test(line) ||
        /^(export )?const \w+: (?!Readonly).*= (new (Map|Set)\b|\[\]|\{\})/.test(line),
    )
    .map((line) => `${path}: ${line}`);
}

/** The files of which a bundle is made, by its source map. */
function sourcesIn(code: string): readonly string[] {
  const { sources } = mapIn(code);
  return sources.filter((path) => path.startsWith('/')).map((path) => relative(root, path));
}

function mapIn(code: string): { readonly sources: string[] } {
  const [, map = ''] = /sourceMappingURL=data:application\/json\S*;base64,(\S+)\s*$/.exec(code) ?? [];
  return JSON.parse(Buffer.from(map, 'base64').toString('utf8')) as { sources: string[] };
}
