import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentedFiles } from '../test/support/documented-files.ts';

const root = join(import.meta.dirname, '..');

const added = documentedFiles('docs/adding-a-load-balancer.md');

/** A copy of the schemas, and more, with another kind of load balancer, as docs/adding-a-load-balancer.md shows it. */
function treeWithRoute53(...more: readonly string[]) {
  const tree = mkdtempSync(join(tmpdir(), 'okra-tables-'));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  const rooms = ['crds', 'domain/load-balancers', 'activities/load-balancers', 'local/generate'];
  for (const part of [...rooms, 'package.json', '.prettierrc.json', ...more])
    cpSync(join(root, part), join(tree, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  for (const { file, code } of added) write(file, `${code}\n`);
  for (const [table, before, line] of lines) {
    const text = readFileSync(join(tree, table), 'utf8');
    write(table, text.replace(`\n${before}`, `\n${line}\n${before}`));
  }
  const configs = readFileSync(join(tree, 'crds/load-balancers.ts'), 'utf8');
  write(
    'crds/load-balancers.ts',
    configs.replace('networkLoadBalancer.config]', 'networkLoadBalancer.config, route53.config]'),
  );
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: tree,
      // The compiler is a program in Go.
      env: { ...process.env, GOGC: '400' },
    });
    return { status, said: `${stdout.toString()}${stderr.toString()}` };
  };
  return {
    linesOf: (file: string) => readFileSync(join(tree, file), 'utf8').split('\n'),
    write,
    generateManifests: () => run('local/generate/files.ts', 'local/generate/kinds.ts'),
    // Each checker looks at what others have looked at already.
    compile: (...args: string[]) => run('node_modules/typescript/bin/tsc', ...args, '--checkers', '1'),
  };
}

/** What each table says of a kind that is added, by the line before which it says so. */
const lines: readonly (readonly [table: string, before: string, line: string])[] = [
  ['crds/load-balancers.ts', '/** The blocks', "import { route53 } from './load-balancers/route-53.ts';"],
  ['crds/load-balancers.ts', '};', 'route53: route53.block,'],
  ['crds/load-balancers.ts', '} as const satisfies', 'Route53: route53.blockNames,'],
  [
    'domain/load-balancers/kinds.ts',
    '/**',
    "import { route53, type Route53Shape } from './route-53/route-53.ts';",
  ],
  ['domain/load-balancers/kinds.ts', '}\n\n/** Each', 'readonly Route53: Route53Shape;'],
  ['domain/load-balancers/kinds.ts', '};', 'Route53: route53,'],
  ['activities/load-balancers/kinds.ts', '/**', "import { route53 } from './route-53/route-53.ts';"],
  ['activities/load-balancers/kinds.ts', '};', 'Route53: route53,'],
];

describe('a kind of load balancer that the tables name', () => {
  it('is in the manifests', () => {
    const tree = treeWithRoute53();
    expect(tree.generateManifests()).toEqual({ status: 0, said: '' });
    expect(tree.linesOf('crds/kustomization.yaml')).toContain('  - manifests/route53configs.yaml');
    expect(tree.linesOf('crds/manifests/cells.yaml').join('\n')).toContain(
      'The kind of load balancer: AWSApplicationLoadBalancer or AWSNetworkLoadBalancer or Route53.',
    );
  });

  it('is known to everything else', () => {
    const programs = ['cli/okrad.ts', 'cli/okractl.ts', 'cli/okra.ts', 'workflows/index.ts'];
    const rooms = ['activities', 'cli', 'clients', 'config', 'deploy', 'domain', 'watchers', 'workflows'];
    const tree = treeWithRoute53(...rooms, ...globSync('{*.ts,tsconfig.json}', { cwd: root }));
    const client = readFileSync(join(root, 'test/examples/route-53/route-53-records.ts'), 'utf8');
    tree.write('clients/aws/route-53.ts', client.replace("'../../../", "'../../"));
    tree.write(
      'tsconfig.new.json',
      JSON.stringify({ extends: './tsconfig.json', include: [], files: programs }),
    );
    expect(tree.compile('-p', 'tsconfig.new.json')).toEqual({ status: 0, said: '' });
  });
});
