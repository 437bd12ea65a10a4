import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { GROUP, VERSION } from '../crds/resource.ts';
import { resources } from '../crds/index.ts';
import { samples, type Sample } from './samples/crds.ts';

const run = promisify(execFile);

async function kubectl(args: readonly string[], input?: object): Promise<string> {
  const { binaries, environment } = inject('stack');
  const running = run(binaries.kubectl, [...args], { env: { ...process.env, ...environment } });
  running.child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  return (await running).stdout;
}

const resourceOf = (kind: string) => {
  const found = resources.find((resource) => resource.kind === kind);
  if (found === undefined) throw new Error(`Expected a kind of Okra, got ${kind}.`);
  return found;
};

/** What zod has to say against a sample; empty when it accepts it. */
function problemsByZod({ kind, spec }: Sample): string {
  const parsed = resourceOf(kind).parseSpec(spec);
  return parsed.ok ? '' : parsed.problems.join('\n');
}

/** What the API server has to say against a sample; empty when it accepts it. */
async function problemsByServer({ kind, spec }: Sample): Promise<string> {
  const object = { apiVersion: `${GROUP}/${VERSION}`, kind, metadata: { name: 'sample' }, spec };
  try {
    await kubectl(['create', '--dry-run=server', '--validate=false', '-f', '-'], object);
    return '';
  } catch (error) {
    return String(error instanceof Error && 'stderr' in error ? error.stderr : error);
  }
}

describe('the CRDs on a real API server', () => {
  it('have at least 60 samples, about half of them bad', () => {
    const bad = samples.filter((one) => one.refusal !== undefined).length;
    expect(samples.length).toBeGreaterThanOrEqual(60);
    expect(bad).toBeGreaterThanOrEqual(30);
    expect(samples.length - bad).toBeGreaterThanOrEqual(25);
  });

  it.concurrent.each(samples.filter((one) => one.refusal === undefined))(
    'accept $kind: $name',
    async (one) => {
      expect({ zod: problemsByZod(one), server: await problemsByServer(one) }).toEqual({
        zod: '',
        server: '',
      });
    },
  );

  it.concurrent.each(samples.filter((one) => one.refusal !== undefined))(
    'refuse $kind: $name',
    async (one) => {
      expect(problemsByZod(one)).toContain(one.refusal);
      expect(await problemsByServer(one)).toContain(one.refusal);
    },
  );

  it('are explained by kubectl', async () => {
    const explained = await kubectl(['explain', 'cell.spec.updateStrategy.canary.steps']);
    expect(explained).toContain('The total weight of the canary target groups');
    expect(await kubectl(['explain', 'awsalbc.spec.listener', '--recursive'])).toContain('queryStrings');
  });

  it.each([
    ['okra', 'cells'],
    ['okcell', 'cells'],
    ['awstg', 'awstargetgroups'],
    ['awsalbc', 'awsapplicationloadbalancerconfigs'],
  ])('answer to %s', async (name) => {
    await expect(kubectl(['get', name, '-n', 'default'])).resolves.toBeDefined();
  });

  it('show the columns that people look for', async () => {
    const table = await kubectl(['get', '--raw', `/apis/${GROUP}/${VERSION}/namespaces/default/cells`]);
    expect(JSON.parse(table)).toMatchObject({ kind: 'CellList' });
    const columns = resourceOf('Cell').printerColumns.map((column) => column.name);
    expect(columns).toEqual(['Phase', 'Step', 'Canary', 'Stable', 'Desired', 'Age', 'Message']);
  });
});
