import { beforeEach, describe, expect, it } from 'vitest';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ObservedRevision } from '../../domain/applications/observation.ts';
import { clusters, ruleAt, web } from '../../domain/applications/testing/applications.ts';
import { arnOf } from '../../domain/applications/testing/world.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import { applyChild } from './child.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { readCell } from './dependencies.ts';

const key = { namespace: 'default', name: 'mysystem' };
const child = { ...key, name: 'mysystem-web' };
const application = web({
  alb: { ...ruleAt(10), forwardConfig: { priority: 10, hosts: ['example.com'], targetGroup: {} } },
});

const revision = (number: number, cluster = `web-v${number}`): ObservedRevision => ({
  number,
  hash: '',
  version: String(number),
  isGood: number === 1,
  content: {
    clusters: [],
    secretLabels: {},
    targetGroups: [{ arn: arnOf(`web-v${number}`), clusters: [cluster] }],
    application: application as ObservedRevision['content']['application'],
  },
});

/** An AWSTargetGroup of someone else. */
const foreign = (name: string) => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'AWSTargetGroup',
  metadata: { ...key, name },
  spec: { arn: arnOf('other') },
});

describe('the Cell of an application that is made again', () => {
  let { client } = new MemoryKubernetes();
  beforeEach(async () => {
    ({ client } = new MemoryKubernetes());
    await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: key,
      spec: { clusters: clusters('web-v1'), applications: [application] },
    } as never);
  });

  const apply = async (wanted: number | ObservedRevision, keep: ObservedRevision): Promise<void> => {
    const cell = await readCell(client, key);
    if (cell === undefined) throw new Error('Expected a Cell, got none.');
    const dependencies = { kubernetes: client } as unknown as ApplicationsDependencies;
    const of = { revision: typeof wanted === 'number' ? revision(wanted) : wanted, keep };
    await applyChild(cell, of, dependencies, new AbortController().signal);
  };
  const groups = async () =>
    (await client.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace })).map(
      ({ metadata, spec }) => [metadata.name, spec.arn, metadata.labels?.['okra.mumo.co/version']],
    );

  it('has the AWSTargetGroups of both revisions, its own first', async () => {
    await apply(1, revision(2));
    expect(await groups()).toEqual([
      ['mysystem-web-web-v1', arnOf('web-v1'), '1'],
      ['mysystem-web-web-v2', arnOf('web-v2'), '2'],
    ]);
  });

  it('has them when both are named after one cluster, also after a worker was killed', async () => {
    await apply(1, revision(2, 'web-v1'));
    const all = [
      ['mysystem-web-web-v1', arnOf('web-v1'), '1'],
      ['mysystem-web-web-v1-2', arnOf('web-v2'), '2'],
    ];
    expect(await groups()).toEqual(all);
    await client.delete(AWS_TARGET_GROUP, { ...key, name: 'mysystem-web-web-v1-2' });
    await apply(1, revision(2, 'web-v1'));
    expect(await groups()).toEqual(all);
  });

  it('leaves one of someone else as it is', async () => {
    await client.create(foreign('mysystem-web-web-v2'));
    await expect(apply(1, revision(2))).rejects.toMatchObject({ type: 'Conflict' });
    expect(await groups()).toEqual([['mysystem-web-web-v2', arnOf('other'), undefined]]);
  });

  it('leaves one of someone else as it is that has the name which is free otherwise', async () => {
    const name = 'mysystem-web-web-v1-2';
    await client.create(foreign(name));
    await expect(apply(1, revision(2, 'web-v1'))).rejects.toMatchObject({ type: 'Conflict' });
    expect(await groups()).toEqual([[name, arnOf('other'), undefined]]);
  });

  it('leaves one of someone else as it is that has the name of a second one which is free otherwise', async () => {
    const name = 'mysystem-web-web-v1-2-2';
    await client.create(foreign(name));
    // The names of both clusters are taken by target groups that serve.
    const { content, ...one } = revision(1);
    const targetGroups = [...content.targetGroups, { arn: arnOf('web-v3'), clusters: ['web-v1-2'] }];
    const served = { ...one, content: { ...content, targetGroups } };
    await apply(served, served);
    const before = await groups();
    await expect(apply(revision(2, 'web-v1'), served)).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining(`AWSTargetGroup default/${name}`),
    });
    expect(await groups()).toEqual(before);
    expect(before).toContainEqual([name, arnOf('other'), undefined]);
  });

  it('goes to no other revision whose AWSTargetGroup is of someone else, and back all the same', async () => {
    const asksFor = async () => (await client.get<Cell>(CELL, child))?.spec.version;
    const [one, other] = [revision(1), revision(2)];
    await apply(one, one);
    const metadata = { ...key, name: 'mysystem-web-web-v2' };
    await client.create(foreign(metadata.name));
    await expect(apply(other, one)).rejects.toMatchObject({ type: 'Conflict' });
    expect(await asksFor()).toBe('1');
    await client.delete(AWS_TARGET_GROUP, metadata);
    await apply(other, one);
    expect(await asksFor()).toBe('2');
    await client.delete(AWS_TARGET_GROUP, metadata);
    await client.create(foreign(metadata.name));
    await expect(apply(one, other)).rejects.toMatchObject({ type: 'Conflict' });
    expect(await asksFor()).toBe('1');
  });

  it('is not given back what it no longer needs once it serves', async () => {
    await apply(1, revision(2));
    await client.patch(CELL, child, { status: { stableVersion: '1.0.0' } });
    await client.delete(AWS_TARGET_GROUP, { ...key, name: 'mysystem-web-web-v2' });
    await apply(1, revision(2));
    expect(await groups()).toEqual([['mysystem-web-web-v1', arnOf('web-v1'), '1']]);
  });
});
