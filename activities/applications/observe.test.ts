import { describe, expect, it } from 'vitest';
import { CELL, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { digest } from '../../clients/digest.ts';
import { parseRevisionData } from '../../crds/application.ts';
import { clusters, ruleAt, web } from '../../domain/applications/testing/applications.ts';
import { arnOf } from '../../domain/applications/testing/world.ts';
import { initialApplicationsState } from '../../domain/applications/state.ts';
import { takeApplicationsTurn } from '../../domain/applications/turn.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { observeApplications } from './observe.ts';
import { performApplication } from './applications.ts';
import { markGood, saveRevision } from './revisions.ts';

const key = { namespace: 'default', name: 'mysystem' };

describe('a look at a Cell with applications without EKS and the clusters', () => {
  it('asks neither, nor for all that Argo CD has, and says so', async () => {
    const { client } = new MemoryKubernetes();
    const list = client.list.bind(client);
    // Argo CD may have so many that an abort would come too late.
    const kubernetes = {
      ...client,
      list: (kind: KindRef, options?: object) =>
        kind.apiVersion.startsWith('argoproj.io/') && kind.plural !== 'analysisruns'
          ? asked()
          : list(kind, options),
    };
    await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: key,
      spec: { clusters: clusters('web-v1'), applications: [web()] },
    } as never);
    const asked = (): never => {
      throw new Error('Expected nobody to be asked.');
    };
    const dependencies = { kubernetes, region: 'eu-central-1', eks: asked, clusters: { reach: asked } };
    const observed = await observeApplications(key, dependencies as unknown as ApplicationsDependencies, {
      signal: new AbortController().signal,
      withoutClusters: true,
    });
    expect(observed).toMatchObject({
      isWithoutClusters: true,
      cell: { isDeleting: false },
      clusters: [{ name: 'web-v1', isReady: false }],
      applications: [{ name: 'web', resolved: { ok: false }, deployments: [] }],
    });
  });
});

describe('a look at a Cell with applications that cannot be followed any more while traffic moves', () => {
  const application = web({
    alb: {
      ...ruleAt(10),
      forwardConfig: { priority: 10, hosts: ['example.com'], targetGroup: { arnFromLabel: 'arn' } },
    },
  });
  const labelled = (name: string) => ({ ...clusters(name)[0], labels: { role: 'web', arn: arnOf(name) } });

  /** A Cell whose traffic moves from one cluster to another; EKS knows none. */
  async function moving() {
    const { client } = new MemoryKubernetes();
    const dependencies = {
      kubernetes: client,
      region: 'eu-central-1',
      eks: () => ({ named: () => Promise.resolve({ clusters: [], denied: [] }) }),
    } as unknown as ApplicationsDependencies;
    const signal = new AbortController().signal;
    const cell = await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { ...key, uid: '' },
      spec: { clusters: [labelled('web-v2')], applications: [application] },
    });
    const { uid } = cell.metadata;
    for (const number of [1, 2]) {
      const name = `web-v${number}`;
      const content = {
        clusters: [
          { name, eksName: name, server: `https://${name}`, certificateAuthority: '', secretName: name },
        ],
        secretLabels: { app: 'web' },
        targetGroups: [{ arn: arnOf(name), clusters: [name] }],
        application,
      };
      const parsed = parseRevisionData({ hash: '', version: '', content });
      if (parsed === undefined) throw new Error('Expected a revision, got none.');
      const hash = digest(canonical(parsed.content));
      const data = { hash, version: String(number), content: parsed.content };
      await saveRevision(client, { key, uid }, 'web', { number, ...data });
    }
    await client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        ...key,
        name: 'web-v1',
        labels: {
          'argocd.argoproj.io/secret-type': 'cluster',
          'okra.mumo.co/cell': key.name,
        },
        annotations: { 'okra.mumo.co/applications': '{"web":{"app":"web"}}' },
      },
    } as never);
    await markGood(client, { key, uid }, 'web', 1);
    const perform = (action: Parameters<typeof performApplication>[0]['action']) =>
      performApplication({ key, uid, application: 'web', action }, dependencies, signal);
    await perform({ do: 'ApplyChild', number: 1 });
    await perform({ do: 'ApplyChild', number: 2, keep: 1 });
    const turn = async () => {
      const observed = await observeApplications(key, dependencies, { signal });
      return takeApplicationsTurn(observed, initialApplicationsState, Date.now()).decision;
    };
    const edit = (spec: object) => client.patch(CELL, key, { spec });
    const revision = async () =>
      (await client.get<{ metadata: { annotations: object } }>(CELL, { ...key, name: 'mysystem-web' }))
        ?.metadata.annotations;
    return { turn, edit, perform, revision };
  }

  it.each<readonly [string, object]>([
    [
      'names a cluster that EKS does not know',
      { clusters: [labelled('web-v3')], applications: [application] },
    ],
    [
      'has two applications with one rule',
      {
        clusters: [labelled('web-v2')],
        applications: [application, { ...application, name: 'other' }],
      },
    ],
    [
      'has an application of which only the name can be read',
      { clusters: 1, applications: [{ name: 'web', alb: 1 }] },
    ],
  ])('takes it back after an edit that %s', async (_, spec) => {
    const { turn, edit, perform, revision } = await moving();
    await edit(spec);
    const decision = await turn();
    expect(decision).toMatchObject({ do: 'Act', isBack: true, action: { do: 'ApplyChild', number: 1 } });
    if (decision.do === 'Act') await perform(decision.action);
    expect(await revision()).toMatchObject({ 'okra.mumo.co/revision': '1' });
  });

  it('leaves it where it is when nobody has edited anything', async () => {
    const { turn } = await moving();
    expect(await turn()).toMatchObject({ do: 'Wait', reason: 'WaitingForClusters' });
  });
});
