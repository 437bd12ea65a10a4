import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  APPLICATION,
  CELL,
  CONFIG_MAP,
  NAMESPACE,
  SECRET,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { applicationSet } from '../../local/argo-cd/application-set.ts';
import { startDeployingArgoCD, type DeployingArgoCD } from '../../local/argo-cd/install.ts';
import { installDefinitions } from '../../local/install-definitions.ts';
import { startOkrad } from '../../local/okrad.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { watchObjects, type Watched } from '../../local/watched.ts';
import { startWorkloadCluster } from '../../local/workload-cluster.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const demo = join(import.meta.dirname, '../../local/demo.ts');
const components = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'temporal', 'moto', 'elbv2-proxy'];
const DEPLOYMENT: KindRef = {
  ...CONFIG_MAP,
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
};

/** Where Argo CD and the Cell are; and, on the clusters, what is deployed. */
const [namespace, shop] = ['argocd', 'shop'];

interface Deployed {
  readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp: string };
}

interface Application {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status?: {
    readonly sync?: { readonly status?: string };
    readonly health?: { readonly status?: string };
  };
}

const inWave = (wave: number): Readonly<Record<string, string>> => ({
  'argocd.argoproj.io/sync-wave': String(wave),
});

const configMap = (name: string, wave = 0): object => ({
  apiVersion: CONFIG_MAP.apiVersion,
  kind: CONFIG_MAP.kind,
  metadata: { name, annotations: inWave(wave) },
  data: { name },
});

const deployment = (name: string, wave: number): object => ({
  apiVersion: DEPLOYMENT.apiVersion,
  kind: DEPLOYMENT.kind,
  metadata: { name, annotations: inWave(wave) },
  spec: {
    replicas: 1,
    selector: { matchLabels: { name } },
    template: {
      metadata: { labels: { name } },
      spec: { containers: [{ name, image: 'registry.example.com/web:1' }] },
    },
  },
});

const application = (name: string, type: 'CreateBeforeDelete' | 'DeleteBeforeCreate'): object => ({
  name,
  clusterSelector: { shop },
  argocd: {
    clusterSecret: { labels: { [`deploys-${name}`]: 'yes' } },
    applicationSet: { name },
    updateStrategy: { type },
  },
});

/** A Cell that has both applications on one cluster. */
const cellOn = (cluster: string): object => ({
  apiVersion: CELL.apiVersion,
  kind: CELL.kind,
  metadata: { name: 'mysystem', namespace },
  spec: {
    clusters: [{ name: cluster, eks: {}, labels: { shop } }],
    applications: [application('web', 'CreateBeforeDelete'), application('jobs', 'DeleteBeforeCreate')],
    deletionPolicy: 'Delete',
  },
});

/** A cluster with an API server of its own, and what Argo CD has deployed there. */
interface Cluster {
  readonly kubernetes: KubernetesClient;
  readonly configMaps: Watched<Deployed>;
}

describe('the demo of applications', () => {
  it('shows secrets, weights, checks and what Argo CD deploys, and finds nothing that differs', async () => {
    const { stdout } = await run(process.execPath, [demo, '--applications'], { timeout: 500_000 });
    expect(stdout).toMatch(/ConfigMap - backgroundjobs on mycluster-backgroundjobs-v1\n/);
    expect(stdout).toMatch(/Check mysystem-web-dd-\S+: Failed/);
    expect(stdout).toContain('Everything went as expected');
  });
});

describe('a Cell with applications that Argo CD deploys', () => {
  const undo = new AsyncDisposableStack();
  const stop = new AbortController();
  const clusters = new Map<string, Cluster>();
  let stack: Stack;
  let kubernetes: KubernetesClient;
  let argoCD: DeployingArgoCD;
  let applications: Watched<Application>;

  const cluster = (name: string): Cluster => {
    const found = clusters.get(name);
    if (found === undefined) throw new Error(`Expected cluster ${name} to be there.`);
    return found;
  };
  const startCluster = async (name: string): Promise<void> => {
    const started = undo.use(await startWorkloadCluster(stack, { name, collectsGarbage: true }));
    const client = connectKubernetes(started.kubernetes.kubeconfig);
    const watching = { kubernetes: client, kind: CONFIG_MAP, namespace: shop, signal: stop.signal };
    clusters.set(name, { kubernetes: client, configMaps: undo.use(watchObjects<Deployed>(watching)) });
  };
  const deployedOn = (name: string): readonly string[] =>
    [...cluster(name).configMaps.objects.keys()].toSorted();
  /** Waits until something holds of what is deployed on a cluster; gives what is there at this moment on the other. */
  const whenOn = async (
    name: string,
    what: string,
    holds: (objects: ReadonlyMap<string, Deployed>) => boolean,
    of: () => unknown,
  ): Promise<unknown> => {
    let seen: unknown;
    const look = (objects: ReadonlyMap<string, Deployed>): boolean => {
      if (!holds(objects)) return false;
      seen = of();
      return true;
    };
    await cluster(name).configMaps.until(
      look,
      () => `Expected ${what} on ${name}, got ${deployedOn(name).join(', ')}.`,
    );
    return seen;
  };
  const statusNow = async (): Promise<CellStatus> =>
    (await kubernetes.get<Cell>(CELL, { namespace, name: 'mysystem' }))?.status ?? {};
  const untilStatus = (what: string, holds: (status: CellStatus) => boolean): Promise<CellStatus> =>
    until(
      what,
      async () => {
        const found = await kubernetes.get<Cell>(CELL, { namespace, name: 'mysystem' });
        const { metadata, status = {} } = found ?? {};
        return status.observedGeneration === metadata?.generation && holds(status) && status;
      },
      { seen: statusNow },
    );
  const untilCompletedOn = (name: string): Promise<CellStatus> =>
    untilStatus(
      `every application on ${name}`,
      ({ phase, clusters: [only] = [], applications: all = [] }) =>
        phase === 'Completed' && only?.name === name && all.every((one) => one.phase === 'Synced'),
    );
  /** Waits for what Argo CD says of the Application of web on the first cluster. */
  const untilWebOneIs = (sync: string, health: string): Promise<true> =>
    until(
      `Application web-one to be ${sync} and ${health}`,
      () => {
        const { status } = applications.objects.get('web-one') ?? {};
        return Promise.resolve(status?.sync?.status === sync && status.health?.status === health);
      },
      { seen: () => Promise.resolve(applications.objects.get('web-one')?.status) },
    );
  const move = (to: string): Promise<unknown> => kubernetes.apply(cellOn(to) as never, { force: true });

  beforeAll(async () => {
    stack = undo.use(await startStack({ components }));
    await installDefinitions(stack);
    kubernetes = connectKubernetes(stack.kubeconfig);
    await kubernetes.create({ apiVersion: 'v1', kind: NAMESPACE.kind, metadata: { name: namespace } });
    argoCD = undo.use(await startDeployingArgoCD(stack, namespace));
    const { repository } = argoCD;
    await repository.commit({
      'web/settings.yaml': configMap('web-settings'),
      'web/web.yaml': configMap('web', 1),
      'jobs/jobs.yaml': configMap('jobs'),
    });
    for (const name of ['web', 'jobs']) {
      const selecting = { [`deploys-${name}`]: 'yes' };
      await kubernetes.create(
        applicationSet({ namespace, name, clusters: selecting, repoURL: repository.url, into: shop }),
      );
    }
    for (const name of ['one', 'two']) await startCluster(name);
    applications = undo.use(
      watchObjects<Application>({ kubernetes, kind: APPLICATION, namespace, signal: stop.signal }),
    );
    undo.use(
      startOkrad({
        environment: { ...stack.environment, OKRA_SYNC_INTERVAL: '5' },
        log: join(stack.logs, 'okrad.log'),
      }),
    );
  });
  afterAll(async () => {
    stop.abort();
    await undo.disposeAsync();
  });

  it('deploys in sync waves, and is in place when all is there', async () => {
    await move('one');
    await untilCompletedOn('one');
    expect(deployedOn('one')).toEqual(['jobs', 'web', 'web-settings']);
    expect(deployedOn('two')).toEqual([]);
    const { objects } = cluster('one').configMaps;
    const createdAt = (name: string): number =>
      Date.parse(objects.get(name)?.metadata.creationTimestamp ?? '');
    expect(createdAt('web')).toBeGreaterThan(createdAt('web-settings'));
  });

  it('moves to another cluster: what is to be there before goes last, and what must not be twice goes first', async () => {
    const webLeaves = whenOn(
      'one',
      'web to go',
      (there) => !there.has('web'),
      () => deployedOn('two'),
    );
    const jobsCome = whenOn(
      'two',
      'jobs to come',
      (there) => there.has('jobs'),
      () => deployedOn('one'),
    );
    await move('two');
    expect(await webLeaves).toEqual(['web', 'web-settings']);
    expect(await jobsCome).toEqual([]);
    await untilCompletedOn('two');
    expect(deployedOn('one')).toEqual([]);
    expect(deployedOn('two')).toEqual(['jobs', 'web', 'web-settings']);
    expect([...applications.objects.keys()].toSorted()).toEqual(['jobs-two', 'web-two']);
  });

  it('is held by an application that does not become healthy, until it does', async () => {
    await argoCD.repository.commit({ 'web/deployment.yaml': deployment('web', 2) });
    await move('one');
    await untilWebOneIs('Synced', 'Progressing');
    const { applications: [web, jobs] = [] } = await untilStatus(
      'web to be waited for',
      ({ applications: [own] = [] }) => (own?.message ?? '').includes('Progressing'),
    );
    expect([web?.phase, jobs?.phase]).toEqual(['Syncing', 'Pending']);
    expect(deployedOn('two')).toEqual(['jobs', 'web', 'web-settings']);
    expect(deployedOn('one')).toEqual(['web', 'web-settings']);
    // What the controller of Deployments says of one whose pods run.
    const status = {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    };
    await cluster('one').kubernetes.patch(
      DEPLOYMENT,
      { namespace: shop, name: 'web' },
      { status },
      { subresource: 'status' },
    );
    await untilCompletedOn('one');
    expect(deployedOn('two')).toEqual([]);
    expect(deployedOn('one')).toEqual(['jobs', 'web', 'web-settings']);
  });

  it('keeps on a cluster what was deployed there when someone deletes its Secret, and has Argo CD take it over again', async () => {
    const webUid = (): string | undefined => cluster('one').configMaps.objects.get('web')?.metadata.uid;
    const before = webUid();
    const former = applications.objects.get('web-one')?.metadata.uid;
    await kubernetes.delete(SECRET, { namespace, name: 'one' });
    await until('another Application web-one', () => {
      const { uid } = applications.objects.get('web-one')?.metadata ?? {};
      return Promise.resolve(uid !== undefined && uid !== former);
    });
    await untilWebOneIs('Synced', 'Healthy');
    await untilCompletedOn('one');
    expect(webUid()).toBe(before);
    expect(deployedOn('one')).toEqual(['jobs', 'web', 'web-settings']);
  });

  it('leaves nothing on a cluster when the Cell is deleted', async () => {
    await kubernetes.delete(CELL, { namespace, name: 'mysystem' });
    await until(
      'the Cell to go',
      async () => (await kubernetes.get(CELL, { namespace, name: 'mysystem' })) === undefined,
      { seen: statusNow },
    );
    expect(deployedOn('one')).toEqual([]);
    const deployments = await cluster('one').kubernetes.list(DEPLOYMENT, { namespace: shop });
    expect(deployments).toEqual([]);
    expect(applications.objects.size).toBe(0);
    const secrets = await kubernetes.list(SECRET, {
      namespace,
      labelSelector: 'argocd.argoproj.io/secret-type=cluster',
    });
    expect(secrets).toEqual([]);
  });
});
