import { describe, expect, it } from 'vitest';
import { FINALIZER } from '../../domain/kubernetes/labels.ts';
import { AWS_TARGET_GROUP, CELL, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { arnOf } from '../../domain/testing/builders.ts';
import { observeCell, readSources } from './observe-cell.ts';

const since = '2026-11-23T10:00:00Z';
const ingress = {
  type: 'AWSApplicationLoadBalancer',
  awsApplicationLoadBalancer: {
    listenerARN: 'arn:aws:elasticloadbalancing:eu-central-1:000000000000:listener/app/a/1/2',
    listener: { rule: { priority: 10, hosts: ['example.com'] } },
    targetGroupSelector: { matchLabels: { role: 'web' } },
  },
};
const ownedBy = (uid: string) => [
  { apiVersion: API_VERSION, kind: 'Cell', name: 'shop', uid, controller: true },
];
const child = (ownerReferences?: object[]) => ({
  metadata: { namespace: 'default', name: 'shop-web', uid: 'c', generation: 1, ownerReferences },
  spec: { ingress, replicas: 1 },
});
const parent = (ready: boolean) => ({
  metadata: { namespace: 'default', name: 'shop', uid: 'p' },
  spec: { clusters: [], applications: [] },
  status: {
    clusters: [
      { name: 'web-v1', ready: true, message: '', since },
      { name: 'web-v2', ready, message: '', since },
    ],
  },
});

describe('a look at the Cell of an application', () => {
  const look = (cell: object, shop?: object) =>
    observeCell(
      {
        get: ({ plural }: KindRef, { name }: { readonly name: string }) =>
          Promise.resolve(plural === CELL.plural ? { 'shop-web': cell, shop }[name] : undefined),
        list: () => Promise.resolve([]),
      } as never,
      { namespace: 'default', name: 'shop-web' },
    );

  it('sees which clusters of its Cell are not ready', async () => {
    const { waitsFor } = await look(child(ownedBy('p')), parent(false));
    expect(waitsFor).toEqual({ cell: 'shop', clusters: ['web-v2'] });
  });

  it('sees which application before its own is not in place', async () => {
    const jobs = { name: 'jobs', phase: 'Syncing' };
    const applications = [jobs, { name: 'web', phase: 'Migrating' }];
    const { behind } = await look(child(ownedBy('p')), { ...parent(true), status: { applications } });
    expect(behind).toEqual({ cell: 'shop', application: 'jobs' });
  });

  it.each([
    ['takes over what it may', ['web'], true],
    ['takes over nothing when the application was removed, as another may have its rule', ['shop'], false],
  ] as const)('%s', async (_, names, want) => {
    const annotations = { 'okra.mumo.co/adopt': 'true' };
    const own = child(ownedBy('p'));
    const applications = names.map((name) => ({ name }));
    const { cell } = await look(
      { ...own, metadata: { ...own.metadata, annotations } },
      { ...parent(true), spec: { clusters: [], applications } },
    );
    expect(cell?.adopt).toBe(want);
  });

  it.each([
    ['all are ready', child(ownedBy('p')), parent(true)],
    ['its Cell is gone', child(ownedBy('p')), undefined],
    ['another Cell has that name now', child(ownedBy('old')), parent(false)],
    ['it belongs to none', child(), parent(false)],
  ])('waits for none when %s', async (_, cell, shop) => {
    const seen = await look(cell, shop);
    expect(seen).not.toHaveProperty('waitsFor');
    expect(seen).not.toHaveProperty('behind');
  });
});

describe('a look at the Cell of an application while its load balancer is written', () => {
  it('reads the Cell that it belongs to beside what is around it', async () => {
    const objects: Readonly<Record<string, object>> = {
      'shop-web': child(ownedBy('p')),
      shop: parent(false),
    };
    let readAround: (() => void) | undefined;
    const around = new Promise<never>((_, reject) => {
      readAround = () => reject(new Error('Its Cell was read.'));
    });
    const get = (_: KindRef, { name }: { readonly name: string }) => {
      if (name === 'shop') readAround?.();
      return Promise.resolve(objects[name]);
    };
    const key = { namespace: 'default', name: 'shop-web' };
    await expect(readSources({ get } as never, key, around)).rejects.toThrow('Its Cell was read.');
  });
});

describe('a look at a Cell that is being deleted', () => {
  it('shows no Cell, and what serves', async () => {
    const { metadata, spec } = child();
    const targetGroups = [{ name: 'a', arn: arnOf('a'), weight: 100 }];
    const { listenerARN } = ingress.awsApplicationLoadBalancer;
    const rule = { priority: 10, hosts: ['example.com'], forward: { targetGroups } };
    const serving = { listenerARN, listener: { rule } };
    const config = {
      metadata: { namespace: 'default', name: 'shop-web', uid: 'l' },
      spec: serving,
      status: { ...serving, ruleARN: 'arn:rule' },
    };
    const cell = { metadata: { ...metadata, deletionTimestamp: since }, spec };
    const seen = await observeCell(
      {
        get: ({ plural }: KindRef) => Promise.resolve(plural === CELL.plural ? cell : config),
        list: () => Promise.resolve([]),
      } as never,
      { namespace: 'default', name: 'shop-web' },
    );
    expect(seen).not.toHaveProperty('cell');
    expect(seen.weighted).toEqual(targetGroups);
  });
});

describe('a look at a Cell beside an AWSTargetGroup that names no ARN', () => {
  const a = { metadata: { name: 'a', labels: { role: 'web' } }, spec: { arn: arnOf('a') } };
  const odd = { name: 'odd', labels: { role: 'web', 'okra.mumo.co/version': '1.0.0' } };

  async function look(groups: readonly object[], status = {}) {
    const { selected } = await observeCell(
      {
        get: ({ plural }: KindRef) =>
          Promise.resolve(plural === CELL.plural ? { ...child(), status } : undefined),
        list: ({ plural }: KindRef) => Promise.resolve(plural === AWS_TARGET_GROUP.plural ? groups : []),
      } as never,
      { namespace: 'default', name: 'shop-web' },
    );
    return selected.map(({ name, arn, version }) => [name, arn, version]);
  }

  it.each([
    ['selected', 'web'],
    ['of another Cell', 'api'],
  ])('sees the others: %s', async (_, role) => {
    expect(await look([{ metadata: { name: 'odd', labels: { role } } }, a])).toEqual([
      ['a', arnOf('a'), undefined],
    ]);
  });

  const serving = {
    targetGroups: [{ name: 'odd', arn: arnOf('b'), version: '1.0.0', role: 'Stable', weight: 50 }],
  };

  it.each([undefined, null, {}, { arn: 1 }])('takes it for what serves under its name: %j', async (spec) => {
    expect(await look([{ metadata: odd, spec }, a], serving)).toEqual([
      ['a', arnOf('a'), undefined],
      ['odd', arnOf('b'), '1.0.0'],
    ]);
  });

  it.each([
    ['is being deleted', { ...odd, deletionTimestamp: since }, []],
    ['is selected no more', { ...odd, labels: {} }, []],
    ['serves under another name by now', odd, [{ ...a, spec: { arn: arnOf('b') } }]],
  ])('does not where it %s', async (_, metadata, others) => {
    const names = (await look([{ metadata }, ...others], serving)).map(([name]) => name);
    expect(names).toEqual(others.map(() => 'a'));
  });
});

describe('a look at a Cell with a field that nobody can read', () => {
  it('leaves that out, and says so', async () => {
    const { metadata, spec } = child();
    const canary = { steps: [{ setWeight: 20 }, { rehearse: {} }] };
    const written = { metadata, spec: { ...spec, replicas: 2, updateStrategy: { type: 'Canary', canary } } };
    const { cell } = await observeCell(
      {
        get: ({ plural }: KindRef) => Promise.resolve(plural === CELL.plural ? written : undefined),
        list: () => Promise.resolve([]),
      } as never,
      { namespace: 'default', name: 'shop-web' },
    );
    expect(cell?.problems).toEqual([expect.stringContaining('spec.updateStrategy.canary.steps[1]')]);
    expect(cell?.spec).toMatchObject({ replicas: 2, ingress: { type: ingress.type } });
    expect(cell?.spec).not.toHaveProperty('updateStrategy');
  });

  const versions: Readonly<Record<string, string>> = { a: '1.0.0', b: '2.0.0', gone: '0.9.0' };
  const serving = (name: string, role: string, weight: number) => ({
    name,
    arn: arnOf(name),
    version: versions[name],
    role,
    weight,
  });
  it.each([
    ['versionLabels', 'version'],
    ['matchExpressions', [null]],
    ['matchExpressions', [{ key: 'role', operator: 'Like', values: ['web'] }]],
    ['matchLabels', { role: 7 }],
    ['matchLabels', 7],
  ])(
    'says so where it decides what the Cell selects, and takes what serves for that: %s',
    async (field, value) => {
      const { metadata, spec } = child();
      const { awsApplicationLoadBalancer: block } = ingress;
      const targetGroupSelector = { ...block.targetGroupSelector, [field]: value };
      const written = {
        metadata,
        spec: {
          ...spec,
          ingress: { ...ingress, awsApplicationLoadBalancer: { ...block, targetGroupSelector } },
        },
        status: {
          targetGroups: [
            serving('a', 'Stable', 0),
            serving('b', 'Canary', 100),
            serving('gone', 'Previous', 0),
          ],
        },
      };
      const groups = ['a', 'b'].map((name) => ({
        metadata: { name, labels: { role: 'web', version: versions[name] } },
        spec: { arn: arnOf(name) },
      }));
      const { cell, digest, selected } = await observeCell(
        {
          get: ({ plural }: KindRef) => Promise.resolve(plural === CELL.plural ? written : undefined),
          list: ({ plural }: KindRef) => Promise.resolve(plural === AWS_TARGET_GROUP.plural ? groups : []),
        } as never,
        { namespace: 'default', name: 'shop-web' },
      );
      expect(cell?.problems).toEqual([expect.stringContaining(`targetGroupSelector.${field}`)]);
      expect(selected.map(({ name, version }) => [name, version])).toEqual([
        ['a', '1.0.0'],
        ['b', '2.0.0'],
      ]);
      expect(digest).not.toBe('');
    },
  );
});

describe('a look at a Cell beside a configuration of its name', () => {
  const { listenerARN } = ingress.awsApplicationLoadBalancer;
  const config = (priority: number, metadata: object) => {
    const targetGroups = [{ name: 'a', arn: arnOf('a'), weight: 100 }];
    const listener = { rule: { priority, hosts: ['www.example.com'], forward: { targetGroups } } };
    return {
      metadata: { namespace: 'default', name: 'shop-web', uid: 'l', ...metadata },
      spec: { listenerARN, listener },
      status: { listenerARN, listener, ruleARN: 'arn:rule' },
    };
  };
  const look = (object: object) =>
    observeCell(
      {
        get: ({ plural }: KindRef) => Promise.resolve(plural === CELL.plural ? child() : object),
        list: () => Promise.resolve([]),
      } as never,
      { namespace: 'default', name: 'shop-web' },
    );
  const own = { ownerReferences: [{ ...ownedBy('c')[0], name: 'shop-web' }] };
  const written = { annotations: { 'okra.mumo.co/sequence': '3' } };
  const leaving = (finalizers: readonly string[]) =>
    config(10, { ...own, finalizers, deletionTimestamp: since });

  it.each([
    ['that someone has written for another rule, it sees nothing', config(20, {}), 0],
    ['that someone has written for its rule, it sees what is served', config(10, {}), 1],
    ['that was its own before an edit, too', config(20, own), 1],
    ['that it has written, and that was restored without its owner, too', config(20, written), 1],
    ['that is deleted and waits to be let go, it sees nothing', leaving([FINALIZER]), 0],
    ["that is deleted and kept by others' finalizers, it sees what is served", leaving(['a.io/backup']), 1],
  ])('%s', async (_, object, want) => {
    const { weighted, observedForwarding } = await look(object);
    expect([weighted.length, observedForwarding === undefined]).toEqual([want, want === 0]);
  });
});
