import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { provision } from '../../local/provision.mjs';
import { until } from '../support/until.ts';
import * as workflows from '../../workflows/index.ts';
import { comparable, documents, type Manifest } from './install/comparable.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/charts/okra');
const kustomize = join(root, 'deploy/kustomize');

describe('an installation', () => {
  const stack = inject('stack');
  const env = { ...process.env, ...stack.environment };
  const most = 16 * 1024 * 1024;
  const namespace = `install-${process.pid}-${Date.now().toString(36)}`;
  const account = `system:serviceaccount:${namespace}:${namespace}`;
  const others = ['okra', 'clusters'];
  let dir: string;
  let helmPath = '';

  const kubectl = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
    run(stack.binaries.kubectl, args, { env, maxBuffer: most });
  const helm = async (...args: string[]): Promise<string> =>
    (await run(helmPath, args, { env, maxBuffer: most })).stdout;
  const template = async (...args: string[]): Promise<readonly Manifest[]> =>
    documents(await helm('template', 'okra', chart, '--namespace=okra', ...args));
  const kustomized = async (folder: string): Promise<readonly Manifest[]> =>
    documents((await kubectl('kustomize', folder)).stdout);
  const restrict = (name: string): Promise<unknown> =>
    kubectl(
      'label',
      'namespace',
      name,
      ...['enforce', 'warn'].map((mode) => `${RESTRICT}/${mode}=restricted`),
    );

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'okra-install-'));
    const found = await provision(['helm'], { env: process.env, say: () => undefined });
    helmPath = found['helm'] ?? '';
    await Promise.all([namespace, ...others].map((name) => kubectl('create', 'namespace', name)));
    // The documentation names it too: its tests have it at the same time, and leave it there.
    const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    await kubectl('apply', '-f', await save('shop', shop));
    await Promise.all([namespace, 'okra'].map(restrict));
  });
  afterAll(async () => {
    await kubectl('delete', 'namespace', namespace, ...others, '--wait=false');
    await rm(dir, { recursive: true });
  });

  it.each([
    ['for the whole cluster', [], 'base'],
    ['with everything', ['--values', join(chart, 'ci/example-values.yaml')], 'overlays/example'],
    [
      'with a dashboard to log in to',
      ['--set', 'dashboard.enabled=true,dashboard.login=true'],
      'overlays/dashboard',
    ],
    ['with metrics', ['--values', join(chart, 'ci/monitoring-values.yaml')], 'overlays/monitoring'],
  ])('%s is the same by Helm and by kustomize', async (_, values, folder) => {
    const [byHelm, byKustomize] = await Promise.all([
      template(...values),
      kustomized(join(kustomize, folder)),
    ]);
    expect(comparable(byHelm)).toEqual(comparable(byKustomize));
    // Of two pods of the dashboard neither knows who has logged in to the other.
    const strategies = byHelm.flatMap(({ metadata, spec }) =>
      metadata.name === 'okra-dashboard' && spec?.strategy !== undefined ? [spec.strategy.type] : [],
    );
    expect(strategies).toEqual(folder === 'overlays/dashboard' ? ['Recreate'] : []);
  });

  it('lets Prometheus in to the dashboard as to all others, where people log in to it', async () => {
    const values = ['dashboard.enabled=true', 'dashboard.login=true', 'serviceMonitor.enabled=true'];
    const all = await template('--set', values.join(','));
    const policies = all.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(JSON.stringify(policies.map(({ spec }) => spec))).toContain('"port":8080');
    expect(policies.map(({ metadata }) => metadata.name)).toEqual(['okra-dashboard']);
  });

  it("has by kustomize a worker with versions of Temporal's Worker Controller, whose pod is the same", async () => {
    const [plain, versioned] = await Promise.all(
      ['base', 'overlays/worker-versions'].map(async (folder) =>
        (await kustomized(join(kustomize, folder))).filter(({ metadata }) => metadata.name === 'okra-worker'),
      ),
    );
    const podsOf = (all: readonly Manifest[] = []) => all.map(({ spec }) => spec?.template).filter(Boolean);
    expect(versioned?.map(({ kind }) => kind).toSorted()).toEqual([
      'PodDisruptionBudget',
      'WorkerDeployment',
    ]);
    expect(podsOf(versioned)).toEqual(podsOf(plain));
    expect(podsOf(versioned)).toHaveLength(1);
    const gates = versioned?.flatMap(({ spec }) => spec?.rollout?.gate?.workflowType ?? []);
    expect(gates).toEqual(['versionGate']);
    expect(Object.keys(workflows)).toEqual(expect.arrayContaining(gates ?? []));
  });

  it('merges what the values say over the pods of all components, and of one', async () => {
    const sets = [
      'image.registry=registry.example.com:5000',
      'deployment.spec.template.spec.nodeSelector.pool=system',
      'deployment.spec.template.spec.securityContext.runAsUser=null',
      'worker.deployment.metadata.annotations.reload=yes',
      'worker.deployment.spec.template.spec.containers[0].name=proxy',
      'worker.container.livenessProbe.timeoutSeconds=9',
    ].flatMap((set) => ['--set', set]);
    const made = (await template(...sets)).filter(({ kind }) => kind === 'Deployment');
    const seen = made.map(({ metadata, spec }) => {
      const { nodeSelector, securityContext, containers = [] } = spec?.template?.spec ?? {};
      const [okrad] = containers;
      return {
        name: metadata.name,
        reload: metadata.annotations?.['reload'],
        pool: nodeSelector?.['pool'],
        runAsUser: securityContext?.['runAsUser'],
        containers: containers.map(({ name }) => name),
        image: okrad?.image,
        timeoutSeconds: okrad?.livenessProbe?.timeoutSeconds,
      };
    });
    const all = { pool: 'system', runAsUser: null, image: 'registry.example.com:5000/okra:0.1.0' };
    expect(seen).toEqual([
      { ...all, name: 'okra-watchers', reload: undefined, containers: ['okrad'], timeoutSeconds: 5 },
      { ...all, name: 'okra-worker', reload: 'yes', containers: ['okrad', 'proxy'], timeoutSeconds: 9 },
    ]);
  });

  it('lets people reach the dashboard by an Ingress, where they have to log in', async () => {
    const ingress =
      'dashboard.enabled=true,dashboard.ingress.enabled=true,dashboard.hosts={okra.example.com}';
    await expect(template('--set', ingress)).rejects.toThrow(/needs dashboard.login=true/);
    const objects = await template('--set', `${ingress},dashboard.login=true`);
    const [made] = objects.filter(({ kind }) => kind === 'Ingress');
    expect(JSON.stringify(made?.spec)).toContain('"host":"okra.example.com"');
  });

  it('A-I01 has the image, the region and the variables that the chart is told', async () => {
    const key = ['additionalEnv[0].name=AWS_ACCESS_KEY_ID', 'additionalEnv[0].value=key'];
    const sets = ['region=ap-northeast-1', 'image.tag=canary', ...key].flatMap((set) => ['--set', set]);
    const pods = (await template(...sets)).filter(({ kind }) => kind === 'Deployment');
    const seen = pods.map(({ spec }) => spec?.template?.spec?.containers?.[0]);
    for (const container of seen) {
      expect(container?.image).toBe('okra:canary');
      expect(container?.env).toEqual(
        expect.arrayContaining([
          { name: 'AWS_REGION', value: 'ap-northeast-1' },
          { name: 'AWS_DEFAULT_REGION', value: 'ap-northeast-1' },
          { name: 'AWS_ACCESS_KEY_ID', value: 'key' },
        ]),
      );
    }
    expect(seen).toHaveLength(2);
  });

  it.each([
    ['of its own', 'team-a', 'watchNamespaces={a}', ['okra', 'team-a-okra']],
    [
      'that is named',
      'team-a',
      'watchNamespaces={a},additionalEnv[0].name=OKRA_LEASE_NAME,additionalEnv[0].value=mine',
      ['okra', 'mine'],
    ],
    ['okra, where its name says so', 'okra', 'watchNamespaces={a}', ['okra']],
    ['okra, where it watches the whole cluster', 'team-a', 'watchNamespaces=null', ['okra']],
    // Whoever wrote that role gave it okra.
    ['okra, where someone else made its role', 'team-a', 'watchNamespaces={a},rbac.create=false', []],
    [
      'okra, where that is in another namespace',
      'team-a',
      'watchNamespaces={a},additionalEnv[0].name=OKRA_LEASE_NAMESPACE,additionalEnv[0].value=leases',
      ['okra'],
    ],
  ])('elects its leader by a Lease %s', async (_, release, sets, want) => {
    const all = documents(await helm('template', release, chart, '--set', sets));
    const rules = all.flatMap((object) => (object.kind === 'Role' ? (object.rules ?? []) : []));
    const granted = rules.flatMap(({ resources, resourceNames = [] }) =>
      resources.includes('leases') ? resourceNames : [],
    );
    const names = all.flatMap(({ spec }) =>
      (spec?.template?.spec?.containers?.[0]?.env ?? []).flatMap(({ name, value = '' }) =>
        name === 'OKRA_LEASE_NAME' ? [value] : [],
      ),
    );
    expect(granted).toEqual(want);
    expect(names).toEqual(want.slice(1).flatMap((name) => [name, name]));
  });

  it('gives Helm nothing to warn of', async () => {
    expect(await helm('lint', '--strict', '--quiet', chart, `${chart}-crds`)).toBe('');
  });

  it('has the same kinds by Helm, which leaves them and so all their objects when it is uninstalled', async () => {
    const isKind = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';
    const [byHelm, byKustomize] = await Promise.all([
      helm('template', 'okra-crds', `${chart}-crds`).then(documents),
      kustomized(join(root, 'crds')),
    ]);
    const kinds = byHelm.filter(isKind);
    expect(kinds).toEqual(byHelm);
    expect(comparable(kinds)).toEqual(comparable(byKustomize));
    expect(kinds.map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'])).toEqual(
      kinds.map(() => 'keep'),
    );
  });

  it.each(['base', 'overlays/example'])(
    'can be deleted by kustomize (%s) without its objects',
    async (folder) => {
      const kinds = (await kustomized(join(kustomize, folder))).map(({ kind }) => kind);
      expect(kinds).not.toContain('CustomResourceDefinition');
      expect(kinds).not.toContain('Namespace');
    },
  );

  it.each([
    ['a value that there is not', 'worker.replica=3', /additional properties 'replica' not allowed/],
    ['what is no region', 'region=nowhere', /'nowhere' does not match pattern/],
    ['an address without a port', 'temporal.address=temporal', /\/temporal\/address/],
    ['a digest that is none', 'image.digest=latest', /\/image\/digest/],
    [
      'cluster secrets in a namespace that is not watched',
      'clusterSecrets.namespaces={argocd}',
      /argocd is not in watchNamespaces/,
    ],
    ['no service account at all', 'serviceAccount.create=false', /serviceAccount[.]name is required/],
  ])('is refused with %s', async (_, set, message) => {
    await expect(template('--set', set)).rejects.toThrow(message);
  });

  it('runs by Helm where Pod Security is restricted, and may write cluster secrets alone', async () => {
    const sets = [
      `fullnameOverride=${namespace}`,
      `watchNamespaces={${namespace}}`,
      `clusterSecrets.namespaces={${namespace}}`,
      'clusterSecrets.access=edit',
      'networkPolicy.enabled=true',
    ].flatMap((set) => ['--set', set]);
    await helm('install', 'okra', chart, `--namespace=${namespace}`, ...sets);
    const pods = async (): Promise<string> =>
      (await kubectl('-n', namespace, 'get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[0].args[1]}'))
        .stdout;
    await until(
      'the pods of both components',
      async () => (await pods()).split(' ').toSorted().join(' ') === 'watchers watchers worker worker',
      { seen: pods },
    );
    // The same namespace refuses a pod that may do more.
    await expect(kubectl('-n', namespace, 'run', 'more', '--image=okra')).rejects.toThrow(
      /violates PodSecurity "restricted/,
    );
    const asOkra = (...args: string[]) => kubectl('-n', namespace, `--as=${account}`, ...args);
    const secret = (name: string, labels: object): Promise<string> =>
      save(name, { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels } });
    const plain = await secret('plain', {});
    const cluster = await secret('cluster', { 'argocd.argoproj.io/secret-type': 'cluster' });
    // The API server takes a moment to know a new policy.
    await until('a Secret of no cluster to be refused', () =>
      asOkra('create', '--dry-run=server', '-f', plain).then(
        () => false,
        ({ stderr }: { stderr: string }) =>
          stderr.includes('only Secrets with the label argocd.argoproj.io/secret-type=cluster'),
      ),
    );
    await asOkra('create', '-f', cluster);
    await asOkra('delete', '-f', cluster);
    await kubectl('-n', namespace, 'create', '-f', plain);
    await expect(asOkra('delete', '-f', plain)).rejects.toThrow(/only Secrets with the label/);
    await helm('uninstall', 'okra', `--namespace=${namespace}`);
    const left = await kubectl('get', 'clusterroles,clusterrolebindings', '-o', 'name');
    expect(left.stdout).not.toContain(namespace);
  });

  it('is taken by the API server from kustomize, without a warning of Pod Security', async () => {
    for (const folder of ['base', 'overlays/example']) {
      const { stderr } = await kubectl('apply', '--dry-run=server', '-k', join(kustomize, folder));
      expect(stderr).not.toMatch(/PodSecurity/);
    }
  });

  async function save(name: string, object: object): Promise<string> {
    const file = join(dir, `${name}.json`);
    await writeFile(file, JSON.stringify(object));
    return file;
  }
});

const RESTRICT = 'pod-security.kubernetes.io';
