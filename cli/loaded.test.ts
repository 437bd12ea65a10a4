import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The packages that a module loads when it is loaded, with all modules that it loads; what is imported later does not count. */
function loadedBy(file: string, seen = new Set<string>(), packages = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return packages;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, from, bare] of text.matchAll(
    /^(?:import|export)(?! type)[^;]*?from '([^']+)'|^import '([^']+)'/gm,
  )) {
    const specifier = from ?? bare ?? '';
    if (specifier.startsWith('.')) {
      if (specifier.endsWith('.ts')) loadedBy(join(dirname(file), specifier), seen, packages);
    } else if (!specifier.startsWith('node:')) packages.add(specifier);
  }
  return packages;
}

// Each takes tens of megabytes, and most installations need few of them.
const late = [
  '@aws-sdk/client-cloudwatch',
  '@aws-sdk/client-eks',
  '@datadog/datadog-api-client',
  '@opentelemetry/sdk-trace',
  'playwright-core',
];

describe('okrad', () => {
  it.each(['cli/okrad-program.ts', 'worker.ts'])(
    '%s loads no client at its start that it may never need',
    (file) => {
      const loaded = [...loadedBy(join(root, file))];
      expect(loaded.filter((name) => late.includes(name))).toEqual([]);
      // What it does need is found, so that nothing is missed for the way in which it is looked for.
      expect(loaded).toEqual(
        expect.arrayContaining(['@kubernetes/client-node', '@temporalio/client', 'undici', 'zod']),
      );
    },
  );

  it('sets V8 up before it loads anything', () => {
    expect([...loadedBy(join(root, 'cli/okrad.ts'))]).toEqual([]);
  });

  it('has its watchers without the native code of the worker', () => {
    expect([...loadedBy(join(root, 'cli/okrad-program.ts'))]).not.toContain('@temporalio/worker');
  });
});
