import { describe, expect, it } from 'vitest';
import { CONTROLLER_REVISION, JOB } from '../../clients/kubernetes/kinds.ts';
import { measurementName, revisionName } from '../../domain/applications/names.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import { pruneMeasurements } from './measurements.ts';
import { findRevisions, markGood, saveRevision } from './revisions.ts';

const cell = { key: { namespace: 'argocd', name: 'mysystem' }, uid: 'u' };

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
      await saveRevision(client, cell, { application: 'web', number, data: data(String(number)) });
      const labels = { 'okra.mumo.co/cell': 'mysystem', 'okra.mumo.co/rollout': 'web' };
      const metadata = { namespace: 'argocd', name: run(number), labels, ownerReferences: owner('u') };
      await client.create({ apiVersion: 'batch/v1', kind: 'Job', metadata });
    }
    const old = await markGood(client, cell, { application: 'web', number: 12 });
    await pruneMeasurements(client, cell, { application: 'web', old });
    const kept = (await findRevisions(client, cell)).get('web') ?? [];
    expect(kept.map(({ number }) => number)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect(kept.filter(({ isGood }) => isGood).map(({ number }) => number)).toEqual([12]);
    const jobs = await client.list<{ metadata: { name: string } }>(JOB);
    expect(jobs.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      kept.map(({ number }) => run(number)).toSorted(),
    );
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
    const saving = saveRevision(client, cell, { application: 'web', number: 1, data: data('h') });
    await expect(saving).rejects.toMatchObject({ type: 'Conflict', nonRetryable: true });
  });
});
