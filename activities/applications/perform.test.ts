import { beforeEach, describe, expect, it } from 'vitest';
import { CHECK, JOB } from '../../clients/kubernetes/kinds.ts';
import { childName } from '../../domain/applications/names.ts';
import { clusters, job, jobs } from '../../domain/applications/testing/applications.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { performApplication } from './applications.ts';
import { lookAtClusters } from './clusters.ts';
import { resolve } from './observe.ts';
import { readCell } from './dependencies.ts';
import { findRevisions, saveRevision } from './revisions.ts';

const key = { namespace: 'default', name: 'mysystem' };
const run = { namespace: 'default', name: 'mysystem-jobs-before-pre-2-abcdef01' };
const analysis = { query: 'q', aggregator: 'avg', max: 0.1 };

describe('what is measured for a revision, after an edit has made it something else', () => {
  let { client } = new MemoryKubernetes();
  let uid = '';
  const perform = (action: { readonly do: 'StartCheck' | 'TerminateCheck' }) =>
    performApplication(
      {
        key,
        uid,
        application: 'jobs',
        action: { number: 2, stage: 'prechecks', check: 'before', name: run.name, ...action },
      },
      { kubernetes: client } as unknown as ApplicationsDependencies,
      new AbortController().signal,
    );

  beforeEach(async () => {
    ({ client } = new MemoryKubernetes());
    const cell: { metadata: { uid?: string } } = await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: key,
      spec: {
        clusters: clusters('jobs-v1'),
        applications: [jobs({ prechecks: [{ name: 'before', analysis }] })],
      },
    } as never);
    uid = cell.metadata.uid ?? '';
    const application = { ...jobs({ prechecks: [{ name: 'before', job }] }) } as never;
    const content = { clusters: [], secretLabels: {}, targetGroups: [], application };
    const data = { hash: 'h', version: '2', content };
    await saveRevision(client, { key, uid }, 'jobs', { number: 2, ...data });
  });

  it('is started as the revision has it, and ended as what it is', async () => {
    await perform({ do: 'StartCheck' });
    expect(await client.list(CHECK)).toEqual([]);
    expect(await client.get(JOB, run)).toMatchObject({ spec: { activeDeadlineSeconds: 600 } });
    await perform({ do: 'TerminateCheck' });
    expect(await client.get(JOB, run)).toMatchObject({ spec: { activeDeadlineSeconds: 0 } });
  });
});

describe('keeping what an application comes to', () => {
  it.each([
    ['though none of the newer ones was good', String],
    ['though all differ in no target group, and so serve the same', () => '1'],
  ])('lets go of revisions that are too old, %s', async (_, versionOf) => {
    const { client } = new MemoryKubernetes();
    const eks = {
      name: 'jobs-v1',
      arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/jobs-v1',
      region: 'eu-central-1',
      status: 'ACTIVE',
      endpoint: 'https://jobs-v1',
      caData: 'Y2E=',
      tags: {},
    };
    const dependencies = {
      kubernetes: client,
      region: 'eu-central-1',
      eks: () => ({ named: () => Promise.resolve({ clusters: [eks], denied: [] }) }),
      clusters: { reach: () => ({ is: 'Problem', problem: 'Nobody asks it.' }) },
    } as unknown as ApplicationsDependencies;
    const cell = await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { ...key, uid: '' },
      spec: { clusters: clusters('jobs-v1'), applications: [jobs()] },
    });
    const { uid } = cell.metadata;
    await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { ...key, name: childName(key.name, 'jobs') },
      status: { stableVersion: '1' },
    } as never);
    const signal = new AbortController().signal;
    const content = { clusters: [], secretLabels: {}, targetGroups: [], application: jobs() as never };
    for (let number = 1; number <= 12; number += 1) {
      const data = { hash: 'h', version: versionOf(number), content };
      await saveRevision(client, { key, uid }, 'jobs', { number, ...data });
    }
    const read = await readCell(client, key);
    if (read === undefined) throw new Error('Expected a Cell, got none.');
    const resolved = (await resolve(read.spec, await lookAtClusters(read, dependencies, signal))).resolved[
      'jobs'
    ];
    const hash = resolved?.ok === true ? resolved.hash : '';
    const action = { do: 'SaveRevision', number: 13, hash, version: versionOf(13) } as const;
    await performApplication({ key, uid, application: 'jobs', action }, dependencies, signal);
    const kept = (await findRevisions(client, { key, uid })).get('jobs') ?? [];
    const served = versionOf(1) === versionOf(13) ? [] : [1];
    expect(kept.map(({ number }) => number)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, ...served]);
  });
});
