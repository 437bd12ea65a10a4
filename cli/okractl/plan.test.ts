import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { digest } from '../../clients/digest.ts';
import { parseRevisionData } from '../../crds/application.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { blocksOf, pages } from '../../test/support/documented-manifests.ts';
import { aCell, aTargetGroup, paused } from './testing/objects.ts';
import { runOkractl } from './testing/shell.ts';

const manifest = (spec: object = {}): string => stringify({ ...aCell(), spec: { ...aCell().spec, ...spec } });
const groups = [aTargetGroup('web-a', '1.0.0'), aTargetGroup('web-b', '2.0.0')];

describe('plan', () => {
  it('says what a Cell of the cluster does next, with the weights of each target group', async () => {
    const { out, code } = await runOkractl(['plan', 'web'], { objects: [aCell(), ...groups] });
    expect(code).toBe(0);
    expect(out).toContain('Installing 2.0.0 with all traffic');
    expect(out).toContain('With target groups of 2.0.1 (assumed): 2.0.0 → 2.0.1:');
    expect(out).toMatch(/1\/3 +web-2\.0\.1-1: 20, web-b: 80 +Setting the weight of 2\.0\.1 to 20\./);
    expect(out).toContain('* Assumed: resume is sent at once.');
  });

  it('says what manifests would do to the cluster, and writes nothing', async () => {
    const objects = [aCell(paused), ...groups];
    const files = { 'web.yaml': manifest({ updateStrategy: { type: 'Canary', canary: { steps: [] } } }) };
    const { out, done } = await runOkractl(['plan', '-f', 'web.yaml'], { objects, files });
    expect(out).not.toContain('Setting the weight of 2.0.1 to 20.');
    expect(done).toEqual([]);
  });

  it.each([
    ['stays when the manifest never had one', { version: undefined }, /Outcome: Completed\. 1\.0\.0 serves/],
    ['goes when the manifest had it before', { version: '1.0.0' }, /1\.0\.0 → 2\.0\.0/],
  ])('knows that the version to which a Cell is pinned %s', async (_, applied, said) => {
    const pinned = aCell({ stableVersion: '1.0.0', phase: 'Completed' }, { version: '1.0.0' });
    const last = JSON.stringify({ spec: applied });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': last };
    const objects = [{ ...pinned, metadata: { ...pinned.metadata, annotations } }, ...groups];
    const world = { objects, files: { 'web.yaml': manifest() } };
    const { out, err } = await runOkractl(['plan', '-f', 'web.yaml'], world);
    expect(out).toMatch(said);
    const isTold = err.startsWith('Cell default/web stays pinned to 1.0.0: its manifest has no spec.version');
    expect(isTold).toBe(applied.version === undefined);
  });

  const owns = (manager: string, operation: string, time: string, version = true) => ({
    manager,
    operation,
    time: `2026-11-22T0${time}:00:00Z`,
    fieldsV1: { 'f:spec': { 'f:replicas': {}, ...(version ? { 'f:version': {} } : {}) } },
  });
  const kubectl = (version: boolean) => owns('kubectl', 'Apply', '8', version);
  const okractl = owns('okractl', 'Update', '9');
  const clientSide = owns('kubectl-client-side-apply', 'Update', '7');
  it.each<[string, readonly object[], string | undefined, boolean]>([
    ['goes when the manifest had it before', [kubectl(true)], undefined, false],
    ['stays when someone else has set it since', [kubectl(false), okractl], undefined, true],
    ['stays when someone else has set it as well', [kubectl(true), okractl], undefined, true],
    [
      'stays when it was once there by kubectl apply, and set since',
      [clientSide, kubectl(false), okractl],
      '1.0.0',
      true,
    ],
    [
      'goes when the manifest is applied by the client again',
      [kubectl(false), { ...clientSide, time: '2026-11-22T09:30:00Z' }],
      '1.0.0',
      false,
    ],
    [
      'goes whatever Okra has applied to its status',
      [kubectl(true), { ...owns('okra', 'Apply', '9', false), subresource: 'status' }],
      undefined,
      false,
    ],
    [
      'stays when two have it in their manifests',
      [kubectl(true), owns('argocd', 'Apply', '8')],
      undefined,
      true,
    ],
    [
      'goes whatever Okra has applied by itself',
      [{ ...clientSide }, owns('okra', 'Apply', '9', false)],
      '1.0.0',
      false,
    ],
    [
      'goes whatever someone else has applied to its labels',
      [clientSide, { ...owns('kyverno', 'Apply', '9'), fieldsV1: { 'f:metadata': { 'f:labels': {} } } }],
      '1.0.0',
      false,
    ],
    ['stays where nobody has applied it', [okractl], undefined, true],
  ])('knows that with kubectl apply --server-side the pin %s', async (_, managedFields, applied, stays) => {
    const pinned = aCell({ stableVersion: '1.0.0', phase: 'Completed' }, { version: '1.0.0' });
    const last = JSON.stringify({ spec: { version: applied } });
    const annotations =
      applied === undefined ? {} : { 'kubectl.kubernetes.io/last-applied-configuration': last };
    const metadata = { ...pinned.metadata, managedFields, annotations };
    const world = { objects: [{ ...pinned, metadata }, ...groups], files: { 'web.yaml': manifest() } };
    const { out, err } = await runOkractl(['plan', '-f', 'web.yaml'], world);
    expect(err.includes('stays pinned to 1.0.0')).toBe(stays);
    expect(out).toMatch(stays ? /1\.0\.0 serves/ : /1\.0\.0 → 2\.0\.0/);
  });

  it('says nothing of a pin that the manifest has itself', async () => {
    const pinned = aCell({ stableVersion: '1.0.0', phase: 'Completed' }, { version: '1.0.0' });
    const world = { objects: [pinned, ...groups], files: { 'web.yaml': manifest({ version: '1.0.0' }) } };
    expect((await runOkractl(['plan', '-f', 'web.yaml'], world)).err).toBe('');
  });

  it('goes by the last of several manifests of one object, as kubectl apply does', async () => {
    const twice = ['2.0.0', '3.0.0'].map((version) => stringify(aTargetGroup('web-b', version)));
    const files = { 'web.yaml': [manifest({ replicas: 2 }), ...twice, manifest()].join('---\n') };
    const { out, code } = await runOkractl(['plan', '--offline', '-f', 'web.yaml'], { files });
    expect(out.match(/^Cell default\/web, as it is now/gm)).toHaveLength(1);
    expect(out).toContain('Installing 3.0.0 with all traffic');
    expect(code).toBe(0);
  });

  it('counts target groups that only the manifests have', async () => {
    const files = { 'groups.yaml': stringify(aTargetGroup('web-c', '3.0.0')) };
    const world = { objects: [aCell(), ...groups], files };
    const { out } = await runOkractl(['plan', 'web', '-f', 'groups.yaml'], world);
    expect(out).toContain('Installing 3.0.0 with all traffic');
    expect(out).toMatch(/web-c: 100/);
  });

  it('takes a field that is null for one that is not there, as the API server does', async () => {
    const files = { 'web.yaml': manifest({ version: null, updateStrategy: null }) };
    const { out, code } = await runOkractl(['plan', '-f', 'web.yaml'], { objects: groups, files });
    expect(out).toContain('Installing 2.0.0');
    expect(code).toBe(0);
  });

  it('refuses what the API server would refuse, or does by dry run', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'A', name: 'b' }];
    const owned = stringify({ ...aCell(), metadata: { ...aCell().metadata, ownerReferences } });
    const without = await runOkractl(['plan', '--offline', '-f', 'x'], { files: { x: owned } });
    expect([without.out, without.code]).toEqual(['', 2]);
    expect(without.err).toContain('x:7: Cell web: invalid metadata.ownerReferences[0]: uid missing');
    const refuses = new KubernetesError({ status: 422, reason: 'Invalid', message: 'denied by policy' });
    const asked = await runOkractl(['plan', '-f', 'x'], { files: { x: manifest() }, refuses });
    expect([asked.out, asked.code]).toEqual(['', 2]);
    expect(asked.err).toContain('refused by the API server: denied by policy');
  });

  it('asks no cluster with --offline', async () => {
    const world = { objects: groups, files: { 'web.yaml': manifest() } };
    const { out } = await runOkractl(['plan', '--offline', '-f', 'web.yaml', '--assume', '7.0.0'], world);
    expect(out).not.toContain('web-b');
    expect(out).toContain('Installing 7.0.0');
  });

  it('prints what is wrong with a spec once', async () => {
    const files = { x: manifest({ replicas: 9 }) };
    const { out, code } = await runOkractl(['plan', '--offline', '-f', 'x'], { files });
    expect(code).toBe(2);
    expect(out).toContain('Outcome: Failed. See Problems.');
    expect(out.match(/spec\.replicas must be/g)).toHaveLength(1);
  });

  it('is the same for programs', async () => {
    const { out } = await runOkractl(['plan', 'web', '-o', 'json'], { objects: [aCell(), ...groups] });
    expect(JSON.parse(out)).toMatchObject([
      { cell: 'default/web', plan: { problems: [], parts: [{ ahead: { events: [{ is: 'Shift' }] } }, {}] } },
    ]);
  });

  it.each([
    ['more target groups than fit', { replicas: 3 }, /replicas must be 1 or 2/],
    ['what admission would refuse', { minHealthyTargets: 0 }, /spec\.minHealthyTargets/],
  ])('ends with 2 on %s', async (_, spec, problem) => {
    const { out, code } = await runOkractl(['plan', '--offline', '-f', 'x'], {
      files: { x: manifest(spec) },
    });
    expect(code).toBe(2);
    expect(out).toMatch(problem);
  });

  it.each([
    [[], {}, 2, /name a Cell, or pass manifests with -f/],
    [['gone'], {}, 1, /Cell default\/gone not found/],
    [['-f', 'x'], { x: 'a: [' }, 2, /^okractl: x:1: invalid YAML/],
    [['-f', 'x'], { x: 'kind: Pod' }, 2, /no Cell among the manifests/],
    [['web', '--assume', 'new'], {}, 2, /invalid --assume "new": must be a version such as 1\.2\.3/],
  ])('%j says what is wrong', async (words, files, code, said) => {
    const outcome = await runOkractl(['plan', ...words], { files });
    expect(outcome.err).toMatch(said);
    expect(outcome.code).toBe(code);
  });
});

describe('plan of a Cell with applications', () => {
  const application = {
    name: 'jobs',
    clusterSelector: { role: 'jobs' },
    argocd: { clusterSecret: { labels: { app: 'jobs' } } },
    prechecks: [{ name: 'run-test', job: { template: { spec: { image: 'a' } } } }],
  };
  const named = (cluster: string) => ({
    clusters: [{ name: cluster, labels: { role: 'jobs' } }],
    applications: [application],
  });
  const identity = { apiVersion: 'okra.mumo.co/v1alpha1', kind: 'Cell' };
  const metadata = { name: 'mysystem', namespace: 'default', uid: 'uid', generation: 1 };
  const cell = { ...identity, metadata, spec: named('jobs-v1') };
  const fields = { name: 'jobs-v1', eksName: 'jobs-v1', secretName: 'jobs-v1' };
  const kept = { ...fields, server: 'https://one', certificateAuthority: 'CA' };
  const content = { clusters: [kept], secretLabels: { app: 'jobs' }, targetGroups: [], application };
  const parsed = {
    ...content,
    application: parseRevisionData({ hash: '', version: '1', content })!.content.application,
  };
  const revision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: 'mysystem-jobs-1',
      namespace: 'default',
      labels: { 'okra.mumo.co/cell': 'mysystem', 'okra.mumo.co/application': 'jobs' },
      annotations: { 'okra.mumo.co/good': 'true' },
      ownerReferences: [{ ...identity, name: 'mysystem', uid: 'uid', controller: true }],
    },
    revision: 1,
    data: { hash: digest(canonical(parsed)), version: '1', content },
  };
  const objects = [cell, revision];

  it('says that nothing is done when all is in place', async () => {
    const { out, err, code, done } = await runOkractl(['plan', 'mysystem'], { objects });
    expect([err, code, done]).toEqual(['', 0, []]);
    expect(out).toContain('Application jobs of Cell default/mysystem, revision 1: nothing to do.');
  });

  it('says what other clusters would have done, revision by revision', async () => {
    const files = { 'next.yaml': stringify({ ...cell, spec: named('jobs-v2') }) };
    const { out, code, done } = await runOkractl(['plan', '-f', 'next.yaml'], { objects, files });
    expect([code, done]).toEqual([0, []]);
    const order = [
      'Application jobs of Cell default/mysystem, revision 2:',
      'The prechecks run: run-test.',
      'Argo CD gets jobs-v2.',
      'Argo CD loses jobs-v1.',
    ];
    expect(out).toMatch(new RegExp(order.join('[^]*')));
    expect(out).toContain('* Assumed: EKS knows the clusters, and they are ready.');
  });

  it('ends with 2 when a selector selects nothing', async () => {
    const spec = {
      ...named('jobs-v2'),
      applications: [{ ...application, clusterSelector: { role: 'job' } }],
    };
    const files = { 'next.yaml': stringify({ ...cell, spec }) };
    const { out, code } = await runOkractl(['plan', '-f', 'next.yaml', '-o', 'json'], { objects, files });
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject([
      { plan: { problems: [expect.stringContaining('clusterSelector selects no cluster')] } },
    ]);
  });

  it('takes no version for granted', async () => {
    const { err, code } = await runOkractl(['plan', 'mysystem', '--assume', '2.0.0'], { objects });
    expect(code).toBe(2);
    expect(err).toContain('--assume is not supported for default/mysystem');
  });
});

describe('the Cells in the documentation', () => {
  const blocks = pages
    .flatMap(blocksOf)
    .filter(({ manifests }) => manifests.some(({ kind }) => kind === 'Cell'))
    .map(({ place, manifests }) => [place, manifests.map((one) => stringify(one)).join('---\n')] as const);

  it.each(blocks)('%s is planned to its end, without problems', async (_, yaml) => {
    const { out, err, code } = await runOkractl(['plan', '--offline', '-f', 'x'], { files: { x: yaml } });
    expect([err, /Problems:[\s\S]*/.exec(out)?.[0], code]).toEqual(['', undefined, 0]);
    expect(out).toMatch(/Outcome: Completed\.|^Application/m);
  });
});
