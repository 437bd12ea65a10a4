import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { GROUP } from '../../crds/resource.ts';
import { resources } from '../../crds/index.ts';
import { dryRun } from '../support/dry-run.ts';
import { oneApplication } from '../support/samples/applications.ts';
import { steps } from '../support/samples/cell.ts';
import { samples, type Sample } from '../support/samples/crds.ts';
import { goodLoadBalancers } from '../support/samples/load-balancers.ts';

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

const objectOf = (kind: string, spec: unknown): object => ({
  apiVersion: resourceOf(kind).apiVersion,
  kind,
  metadata: { name: 'sample' },
  spec,
});

const DRY = ['create', '--dry-run=server', '--validate=false', '-o', 'json', '-f', '-'];

const judge = dryRun(inject('stack').kubeconfig);

/** The spec that the API server would store of a sample. */
async function storedByServer({ kind, spec }: Pick<Sample, 'kind' | 'spec'>): Promise<unknown> {
  const judgement = await judge(kind, spec);
  if (!judgement.accepted) throw new Error(judgement.why);
  return judgement.value;
}

/** What a failed kubectl has to say. */
const complaint = (error: unknown): string =>
  String(error instanceof Error && 'stderr' in error ? error.stderr : error);

/** What the API server has to say against a sample; empty when it accepts it. */
const problemsByServer = (sample: Sample): Promise<string> =>
  storedByServer(sample).then(() => '', complaint);

describe('the CRDs on a real API server', () => {
  it('have at least 60 samples, about half of them bad', () => {
    const bad = samples.filter((one) => one.refusal !== undefined).length;
    expect(samples.length).toBeGreaterThanOrEqual(60);
    expect(bad).toBeGreaterThanOrEqual(30);
    expect(samples.length - bad).toBeGreaterThanOrEqual(25);
  });

  it.concurrent.each(samples.filter((one) => one.refusal === undefined))(
    'accept $kind: $name, and fill in the same',
    async (one) => {
      const value = await storedByServer(one);
      expect(resourceOf(one.kind).parseSpec(one.spec)).toEqual({ ok: true, value });
      expect(resourceOf(one.kind).parseSpec(value)).toEqual({ ok: true, value });
    },
  );

  it.concurrent.each(samples.filter((one) => one.refusal !== undefined))(
    'refuse $kind: $name',
    async (one) => {
      expect(problemsByZod(one)).toContain(one.refusal);
      expect(await problemsByServer(one)).toContain(one.refusal);
    },
  );

  it('refuse a Cell whose name is too long for a label, and take one whose name just fits', async () => {
    const named = (length: number) => ({
      ...objectOf('Cell', steps()),
      metadata: { name: 'c'.repeat(length) },
    });
    const answers = [63, 64].map((length) => kubectl(DRY, named(length)).then(() => '', complaint));
    const [fits, tooLong] = await Promise.all(answers);
    expect(fits).toBe('');
    expect(tooLong).toContain(
      'metadata.name of a Cell must have at most 63 characters, because it is the value of a label on its AnalysisRuns and Experiments. Choose a shorter name.',
    );
  });

  it('drop fields that were left empty, so that nobody has to read null', async () => {
    const emptied = steps({ pause: { duration: null } }, { setWeight: 5, pause: null });
    const value = await storedByServer({ kind: 'Cell', spec: { ...emptied, replicas: null, version: null } });
    const want = { ...steps({ pause: {} }, { setWeight: 5 }), replicas: 1 };
    expect(value).toMatchObject(want);
    expect(JSON.stringify(value)).not.toContain('null');
    expect(resourceOf('Cell').parseSpec(value)).toEqual({ ok: true, value });
  });

  it('refuse a misspelt field when they are applied by kubectl', async () => {
    const misspelt = objectOf('Cell', steps({ setWeight: 5, pauze: {} }));
    const refused = kubectl(['apply', '--dry-run=server', '-f', '-'], misspelt).then(() => '', complaint);
    expect(await refused).toContain('unknown field "spec.updateStrategy.canary.steps[0].pauze"');
  });

  it('are explained by kubectl', async () => {
    const explained = await kubectl(['explain', 'cell.spec.updateStrategy.canary.steps']);
    for (const said of [
      'The total weight of the canary target groups',
      'How much to add to the total weight',
      'Holds the rollout at its weight.',
      'Runs an Argo Rollouts analysis',
    ])
      expect(explained).toContain(said);
    expect(await kubectl(['explain', 'awsalbc.spec.listener', '--recursive'])).toContain('queryStrings');
  });
});

describe('objects in a namespace', () => {
  const namespace = `crds-${process.pid}`;
  const get = async (...args: string[]): Promise<readonly string[]> =>
    (await kubectl(['get', '-n', namespace, ...args])).split('\n').map((line) => line.trim());
  const words = (line = ''): readonly string[] => line.split(/\s{2,}/);

  beforeAll(async () => {
    await kubectl(['create', 'namespace', namespace]);
    // One that belongs to no namespace is for everybody: a Freeze would hold the rollouts of all other tests.
    for (const { kind } of resources.filter(({ scope }) => scope !== 'Cluster')) {
      const spec = samples.find((one) => one.kind === kind && one.refusal === undefined)?.spec;
      await kubectl(['apply', '-n', namespace, '-f', '-'], objectOf(kind, spec));
    }
    await kubectl(['label', 'awstg', 'sample', '-n', namespace, `${GROUP}/version=1.2.3`]);
    await report('okcell', {
      phase: 'Progressing',
      step: '2/4',
      canaryWeight: 20,
      stableVersion: '1.0.0',
      desiredVersion: '1.1.0',
      message: 'It goes well.',
    });
    await report('okcs', { phase: 'Synced', clusters: { names: ['cdk1', 'cdk2'] } });
    const lastTransitionTime = '2026-11-21T12:00:00Z';
    const condition = { type: 'Ready', status: 'True', reason: 'Known', message: 'AWS knows it.' };
    await report('awstg', { version: '1.2.2', conditions: [{ ...condition, lastTransitionTime }] });
    await report('awstgs', { phase: 'Degraded', targetGroups: 2 });
    await report('awstgb', { phase: 'Synced' });
    await report('awsnlbc', { phase: 'Updated', weights: 'prev: 40, next: 60' });
    await report('awsalbtd', { version: '1.2.3', weights: 'prev: 40, next: 60', priority: 20 });
    await report('awsalbc', { phase: 'Updated', weights: 'prev: 40, next: 60', message: 'It is so.' });
  });
  afterAll(() => kubectl(['delete', 'namespace', namespace, '--wait=false']));

  const report = (kind: string, status: object): Promise<string> => {
    const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    return kubectl(['patch', kind, 'sample', '-n', namespace, ...patch]);
  };

  it.each([
    [
      'okcell',
      ['NAME', 'PHASE', 'STEP', 'CANARY', 'STABLE', 'DESIRED', 'HEALTHY', 'AGE'],
      ['sample', 'Progressing', '2/4', '20', '1.0.0', '1.1.0'],
    ],
    ['awstg', ['NAME', 'VERSION', 'TAGGED', 'READY', 'AGE'], ['sample', '1.2.3', '1.2.2', 'True']],
    [
      'awsalbc',
      ['NAME', 'PHASE', 'PRIORITY', 'WEIGHTS', 'AGE'],
      ['sample', 'Updated', '20', 'prev: 40, next: 60'],
    ],
    ['okcs', ['NAME', 'PHASE', 'CLUSTERS', 'SYNCED', 'AGE'], ['sample', 'Synced', '["cdk1","cdk2"]']],
    ['awstgs', ['NAME', 'PHASE', 'GROUPS', 'SYNCED', 'AGE'], ['sample', 'Degraded', '2']],
    ['awstgb', ['NAME', 'PHASE', 'SYNCED', 'AGE'], ['sample', 'Synced']],
    ['awsnlbc', ['NAME', 'PHASE', 'WEIGHTS', 'AGE'], ['sample', 'Updated', 'prev: 40, next: 60']],
    [
      'awsalbtd',
      ['NAME', 'VERSION', 'WEIGHTS', 'PRIORITY', 'SYNCED'],
      ['sample', '1.2.3', 'prev: 40, next: 60', '20'],
    ],
  ])('show in a table of %s what people look for', async (name, header, row) => {
    const [first, second] = await get(name);
    expect(words(first)).toEqual(header);
    expect(words(second).slice(0, row.length)).toEqual(row);
  });

  it('show the message when asked for more', async () => {
    expect((await get('okcell', '-o', 'wide')).join('\n')).toContain('It goes well.');
    const wide = (await get('awstg', '-o', 'wide')).join('\n');
    for (const said of ['Known', ':targetgroup/', 'AWS knows it.']) expect(wide).toContain(said);
  });

  it('are all listed by their category', async () => {
    const listed = (await get('okra', '-o', 'name')).filter(
      // A Freeze belongs to no namespace.
      (line) => line !== '' && !line.startsWith('freeze.'),
    );
    expect(listed.toSorted()).toEqual([
      'awsapplicationloadbalancerconfig.okra.mumo.co/sample',
      'awsapplicationloadbalancertargetdeployment.okra.mumo.co/sample',
      'awsnetworkloadbalancerconfig.okra.mumo.co/sample',
      'awstargetgroup.okra.mumo.co/sample',
      'awstargetgroupbinding.okra.mumo.co/sample',
      'awstargetgroupset.okra.mumo.co/sample',
      'cell.okra.mumo.co/sample',
      'check.okra.mumo.co/sample',
      'clusterset.okra.mumo.co/sample',
    ]);
  });

  it('keep their generation when only the status is written', async () => {
    await report('okcell', { observedGeneration: 1 });
    const path = '-o=jsonpath={.metadata.generation} {.status.observedGeneration}';
    expect(await get('okcell', 'sample', path)).toEqual(['1 1']);
  });

  it.each([
    [
      'kind of load balancer',
      goodLoadBalancers['a Network Load Balancer'],
      'spec.ingress.type is immutable, because the previous load balancer would be left with its current weights. Create a new Cell for the other one.',
    ],
    [
      'purpose',
      oneApplication(),
      'A Cell cannot change between spec.ingress and spec.applications. Create a new Cell.',
    ],
  ])('keep the %s that they were made with', async (_, spec, refusal) => {
    const file = ['replace', '--dry-run=server', '-n', namespace, '-f', '-'];
    expect(await kubectl(file, objectOf('Cell', spec)).then(() => '', complaint)).toContain(refusal);
  });

  it('have a status of known phases only', async () => {
    expect(await report('okcell', { phase: 'Flying' }).catch(complaint)).toContain('status.phase');
  });
});
