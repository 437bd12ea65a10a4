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
import { staleIn } from './generated-files.ts';
import { tablesIn } from './load-balancer-tables.ts';

const root = join(import.meta.dirname, '..');

const added = documentedFiles('docs/load-balancers.md');

/** A copy of what the tables are made of, and more, with another kind of load balancer, as docs/load-balancers.md shows it. */
function treeWithRoute53(...more: readonly string[]) {
  const tree = mkdtempSync(join(tmpdir(), 'okra-tables-'));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  const rooms = ['crds', 'domain/load-balancers', 'activities/load-balancers'];
  for (const part of [...rooms, 'package.json', '.prettierrc.json', ...more])
    cpSync(join(root, part), join(tree, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  for (const { file, code } of added) write(file, `${code}\n`);
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
    remove: (file: string) => rmSync(join(tree, file)),
    generate: (...args: string[]) => run('crds/load-balancer-tables.ts', ...args),
    generateManifests: () => run('crds/generate.ts'),
    // Each checker looks at what others have looked at already.
    compile: (...args: string[]) => run('node_modules/typescript/bin/tsc', ...args, '--checkers', '1'),
  };
}

const tables = [
  'crds/load-balancers.ts',
  'domain/load-balancers/kinds.ts',
  'activities/load-balancers/kinds.ts',
];

describe('the tables of load balancers', () => {
  it('are what the files of the kinds say', async () => {
    const files = await tablesIn(root);
    expect([...files.keys()]).toEqual(tables.map((table) => join(root, table)));
    expect(staleIn(files)).toEqual([]);
  });

  it('have the lines of a kind that is added, and then the manifests have it as well', () => {
    const tree = treeWithRoute53();
    expect(tree.generate('--check')).toMatchObject({
      status: 1,
      said: expect.stringContaining('Outdated tables of load balancers:'),
    });
    expect(tree.generate()).toEqual({ status: 0, said: '' });
    const lines = tables.map((table) => {
      const before = readFileSync(join(root, table), 'utf8').split('\n');
      return tree.linesOf(table).filter((line) => !before.includes(line));
    });
    expect(lines).toEqual([
      [
        "import { route53 } from './load-balancers/route-53.ts';",
        '  route53: route53.block,',
        '  Route53: route53.blockNames,',
        'export const loadBalancerConfigs = [',
        '  applicationLoadBalancer.config,',
        '  networkLoadBalancer.config,',
        '  route53.config,',
        '] as const;',
      ],
      [
        "import { route53, type Route53Shape } from './route-53/route-53.ts';",
        '  readonly Route53: Route53Shape;',
        '  Route53: route53,',
      ],
      ["import { route53 } from './route-53/route-53.ts';", '  Route53: route53,'],
    ]);
    expect(tree.generateManifests()).toEqual({ status: 0, said: '' });
    expect(tree.linesOf('crds/kustomization.yaml')).toContain('  - manifests/route53configs.yaml');
    expect(tree.linesOf('crds/manifests/cells.yaml').join('\n')).toContain(
      'The kind of load balancer: AWSApplicationLoadBalancer or AWSNetworkLoadBalancer or Route53.',
    );
  });

  it('are all that has to know of a kind that is added', () => {
    const programs = ['cli/okrad.ts', 'cli/okractl.ts', 'cli/okra.ts', 'workflows/index.ts'];
    const rooms = ['activities', 'cli', 'clients', 'config', 'deploy', 'domain', 'watchers', 'workflows'];
    const tree = treeWithRoute53(...rooms, ...globSync('{*.ts,tsconfig.json}', { cwd: root }));
    const client = readFileSync(join(root, 'test/examples/route-53/route-53-records.ts'), 'utf8');
    tree.write('clients/aws/route-53.ts', client.replace("'../../../", "'../../"));
    tree.generate();
    tree.write(
      'tsconfig.new.json',
      JSON.stringify({ extends: './tsconfig.json', include: [], files: programs }),
    );
    expect(tree.compile('-p', 'tsconfig.new.json')).toEqual({ status: 0, said: '' });
  });

  it('are made again when a kind that they name is gone', () => {
    const tree = treeWithRoute53();
    const kind = 'network-load-balancer';
    tree.remove(`crds/load-balancers/${kind}.ts`);
    for (const room of ['domain', 'activities']) tree.remove(`${room}/load-balancers/${kind}/${kind}.ts`);
    expect(tree.generate()).toEqual({ status: 0, said: '' });
    for (const table of tables) expect(tree.linesOf(table).join('\n')).not.toContain(kind);
  });

  it('take nothing that does not say what kind it is', () => {
    const tree = treeWithRoute53();
    tree.write('crds/load-balancers/route-53.ts', "export const route53 = { type: 'Route53' };\n");
    const { status, said } = tree.generate();
    expect([status, said]).toEqual([
      1,
      expect.stringContaining('crds/load-balancers/route-53.ts must export route53 with its type'),
    ]);
  });

  it.each(added.map(({ file }) => [file]))('stay as they are while a kind lacks %s', (file) => {
    const tree = treeWithRoute53();
    tree.remove(file);
    expect(tree.generate()).toEqual({
      status: 1,
      said: `File ${file} not found: the kind of load balancer route-53 needs one in each of crds/, domain/ and activities/. Add it, or remove the others.\n`,
    });
    expect(tree.linesOf('domain/load-balancers/kinds.ts').join('\n')).not.toContain('Route53');
  });
});
