import { describe, expect, it } from 'vitest';
import { CONTROLLER_REVISION, JOB } from '../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../crds/cell.ts';
import { measurementName, revisionName } from '../../domain/applications/names.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import { pruneRevisions, findRevisions, markGood, saveRevision } from './revisions.ts';

const parent = { metadata: { namespace: 'argocd', name: 'mysystem' }, spec: {} } as Cell;
const cell = { key: { namespace: 'argocd', name: 'mysystem' }, uid: 'u', object: parent };

const data = (hash: string) => ({
  hash,
  version: '1',
  content: {
    clusters: [],
    secretLabels: {},
    targetGroups: [],
    application: { name: 'web', argocd: {} },
  },
});

const owner = (uid: string) => [
  { apiVersion: 'okra.mumo.co/v1alpha1', kind: 'Cell', name: 'mysystem', uid, controller: true },
];

describe('the revisions of an application', () => {
  it('are the last ten and the last good one, with what was measured for them', async () => {
    const { client } = new MemoryKubernetes();
    const run = (number: number) =>
      measurementName({
        cell: 'mysystem',
        application: 'web',
        stage: 'prechecks',
        check: 'run-test',
        number,
        hash: 'abcdef0123',
      });
    for (let number = 1; number <= 12; number += 1) {
      await saveRevision(client, cell, 'web', { number, ...data(String(number)) });
      const labels = { 'okra.mumo.co/cell': 'mysystem', 'okra.mumo.co/rollout': 'web' };
      const metadata = { namespace: 'argocd', name: run(number), labels, ownerReferences: owner('u') };
      await client.create({ apiVersion: 'batch/v1', kind: 'Job', metadata });
    }
    await markGood(client, cell, 'web', 12);
    await pruneRevisions(client, cell, 'web');
    const kept = (await findRevisions(client, cell)).get('web') ?? [];
    expect(kept.map(({ number }) => number)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect(kept.filter(({ isGood }) => isGood).map(({ number }) => number)).toEqual([12]);
    const jobs = await client.list<{ metadata: { name: string } }>(JOB);
    expect(jobs.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      kept.map(({ number }) => run(number)).toSorted(),
    );
  });

  it('are those as well that the Cell of the application serves, while none was good', async () => {
    const { client } = new MemoryKubernetes();
    for (let number = 1; number <= 14; number += 1) {
      const version = String(number);
      await saveRevision(client, cell, 'web', { number, ...data(version), version });
    }
    const annotations = { 'okra.mumo.co/revision': '3' };
    await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { namespace: 'argocd', name: 'mysystem-web', annotations },
      status: { stableVersion: '1.0.0' },
    } as never);
    await pruneRevisions(client, cell, 'web');
    const kept = (await findRevisions(client, cell)).get('web') ?? [];
    expect(kept.map(({ number }) => number)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 3, 1]);
  });

  it.each([
    ['says something else', 'u', 'other'],
    ['is of someone else', 'other', 'h'],
  ])('are not written over where one %s', async (_, uid, hash) => {
    const { client } = new MemoryKubernetes();
    const { apiVersion, kind } = CONTROLLER_REVISION;
    const name = revisionName('mysystem', 'web', 1);
    const metadata = { namespace: 'argocd', name, ownerReferences: owner(uid) };
    const object = { apiVersion, kind, metadata, revision: 1, data: data(hash) };
    await client.create(object);
    const saving = saveRevision(client, cell, 'web', { number: 1, ...data('h') });
    await expect(saving).rejects.toMatchObject({ type: 'Conflict', nonRetryable: true });
  });
});
