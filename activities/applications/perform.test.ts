import { beforeEach, describe, expect, it } from 'vitest';
import { CHECK, JOB } from '../../clients/kubernetes/kinds.ts';
import { clusters, job, jobs } from '../../domain/applications/testing/applications.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { performApplication } from './perform.ts';
import { saveRevision } from './revisions.ts';

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
    await saveRevision(client, { key, uid }, { application: 'jobs', number: 2, data });
  });

  it('is started as the revision has it, and ended as what it is', async () => {
    await perform({ do: 'StartCheck' });
    expect(await client.list(CHECK)).toEqual([]);
    expect(await client.get(JOB, run)).toMatchObject({ spec: { activeDeadlineSeconds: 600 } });
    await perform({ do: 'TerminateCheck' });
    expect(await client.get(JOB, run)).toMatchObject({ spec: { activeDeadlineSeconds: 0 } });
  });
});
