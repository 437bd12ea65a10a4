import { beforeEach, describe, expect, it } from 'vitest';
import { APPLICATION, APPLICATION_SET, CELL, SECRET } from '../../clients/kubernetes/kinds.ts';
import { jobs, web } from '../../domain/applications/testing/applications.ts';
import { initialApplicationsState, performed } from '../../domain/applications/state.ts';
import { takeApplicationsTurn } from '../../domain/applications/turn.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { observeApplications } from './observe.ts';
import { performApplication } from './applications.ts';

const key = { namespace: 'default', name: 'mysystem' };
const eks = (name: string) => ({
  name,
  arn: `arn:aws:eks:eu-central-1:111122223333:cluster/${name}`,
  region: 'eu-central-1',
  status: 'ACTIVE',
  endpoint: `https://${name}`,
  caData: 'Y2E=',
  tags: {},
});
const entry = (name: string, clusterName: string): object => ({
  name,
  eks: { clusterName },
  labels: { role: name.split('-')[0] },
});

describe('entries of a Cell that name EKS clusters', () => {
  let { client } = new MemoryKubernetes();
  let [state, now] = [initialApplicationsState, Date.now()];
  beforeEach(() => {
    ({ client } = new MemoryKubernetes());
    [state, now] = [initialApplicationsState, Date.now()];
  });

  /** Takes turns until nothing is done any more; answers with what was done, and how the Cell stands. */
  async function run(most = 20) {
    const { signal } = new AbortController();
    const dependencies = {
      kubernetes: client,
      region: 'eu-central-1',
      eks: () => ({ named: (names: string[]) => Promise.resolve({ clusters: names.map(eks), denied: [] }) }),
      clusters: { reach: () => ({ is: 'Client', client: { isReady: () => Promise.resolve(true) } }) },
    } as unknown as ApplicationsDependencies;
    const done: string[] = [];
    for (let turn = 0; turn < most; turn += 1) {
      now += 1000;
      const observed = await observeApplications(key, dependencies, { signal });
      const { state: next, decision, report } = takeApplicationsTurn(observed, state, now);
      state = next;
      await client.patch(CELL, key, { status: report?.status });
      if (decision.do !== 'Act') return { done, status: report?.status };
      const { application, action } = decision;
      done.push(`${application} ${action.do}`);
      await performApplication(
        { key, uid: observed.cell?.uid ?? '', application, action },
        dependencies,
        signal,
      );
      state = performed(state, application, action, now);
    }
    throw new Error(`Expected it to come to rest, got: ${done.join(', ')}`);
  }

  const create = (spec: object) =>
    client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { ...key, uid: '' },
      spec,
    });
  const secrets = async () =>
    (await client.list<{ metadata: { name: string } }>(SECRET, { namespace: key.namespace })).map(
      ({ metadata }) => metadata.name,
    );
  /** An Application of Argo CD that is well. */
  const deployed = (cluster: string, set: string) => {
    const { apiVersion, kind } = APPLICATION;
    const source = { path: 'jobs' };
    const destination = { server: `https://${cluster}` };
    return {
      apiVersion,
      kind,
      metadata: { namespace: key.namespace, name: `jobs-${cluster}`, ownerReferences: [{ uid: set }] },
      spec: { source, destination },
      status: {
        sync: { status: 'Synced', comparedTo: { source, destination } },
        health: { status: 'Healthy' },
        reconciledAt: '2999-01-01T00:00:00Z',
      },
    };
  };

  it('are looked at as what they name: what runs on another cluster than before waits for that', async () => {
    const application = jobs({ prechecks: undefined });
    const { apiVersion, kind } = APPLICATION_SET;
    const set = await client.create({
      apiVersion,
      kind,
      metadata: { namespace: key.namespace, name: 'jobs', uid: '', labels: { svc: 'jobs' } },
      status: { conditions: [{ type: 'ResourcesUpToDate', status: 'True' }] },
    });
    const deploy = (cluster: string) => client.create(deployed(cluster, set.metadata.uid));
    await create({ clusters: [entry('jobs', 'prod-1')], applications: [application] });
    await deploy('prod-1');
    expect((await run()).status).toMatchObject({ phase: 'Completed' });
    await client.patch(CELL, key, {
      spec: { clusters: [entry('jobs', 'prod-2')], applications: [application] },
    });
    expect(await run()).toMatchObject({
      done: ['jobs SaveRevision', 'jobs RemoveLabels'],
      status: {
        message: expect.stringContaining('jobs: The Application for cluster prod-1 is still there.'),
      },
    });
    await client.delete(APPLICATION, { ...key, name: 'jobs-prod-1' });
    await deploy('prod-2');
    expect((await run()).status).toMatchObject({ phase: 'Completed' });
    expect(await secrets()).toEqual(['prod-2']);
  });

  const of = (name: string): object =>
    web({
      name,
      clusterSelector: { role: name },
      argocd: { clusterSecret: { labels: { [name]: 'yes' } } },
      alb: undefined,
      checks: undefined,
    });

  it('have one secret where several of them name one cluster, also for one application', async () => {
    await create({
      clusters: [entry('web-1', 'prod-1'), entry('web-2', 'prod-1'), entry('api', 'prod-1')],
      applications: [of('web'), of('api')],
    });
    const { done, status } = await run();
    expect(status).toMatchObject({ phase: 'Completed' });
    expect(done.filter((said) => said.endsWith('ApplySecrets'))).toEqual([
      'web ApplySecrets',
      'api ApplySecrets',
    ]);
    expect(await secrets()).toEqual(['prod-1']);
  });

  it('leave a secret as it is when they get another name', async () => {
    await create({ clusters: [entry('web-1', 'prod-1')], applications: [of('web')] });
    await run();
    const [before] = await client.list<object>(SECRET, { namespace: key.namespace });
    await client.patch(CELL, key, {
      spec: { clusters: [entry('web-one', 'prod-1')], applications: [of('web')] },
    });
    const { done, status } = await run();
    expect(done).toEqual(['web SaveRevision', 'web MarkGood']);
    expect(status).toMatchObject({ phase: 'Completed' });
    expect(await client.list(SECRET, { namespace: key.namespace })).toEqual([before]);
  });
});
