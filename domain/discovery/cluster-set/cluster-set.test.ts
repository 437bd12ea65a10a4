import { describe, expect, it } from 'vitest';
import type { ClusterSetSpec } from '../../../crds/cluster-set.ts';
import {
  decideClusterSet,
  type ClusterSetDecision,
  type Reading,
  type SourcedCluster,
} from './cluster-set.ts';
import type { ExistingSecret, DesiredSecret } from './source-reading.ts';
import type { Grace } from '../missing.ts';
import { deriveSyncStatus } from '../sync-status.ts';

const matching = (matchTags: Record<string, string>): ClusterSetSpec['generators'][number] => ({
  awseks: { selector: { matchTags } },
});
const demo = matching({ Service: 'demo' });
const spec: ClusterSetSpec = {
  generators: [demo],
  template: { metadata: { labels: { service: 'demo', cluster: '{{.awseks.cluster.name}}' } } },
};
const idOf = (name: string): string => `arn:aws:eks:eu-central-1:1:cluster/${name}`;

function cluster(name: string, changed: Partial<SourcedCluster> = {}): SourcedCluster {
  const access = { server: `https://${name}.example.com`, config: `{"of":"${name}"}` };
  return {
    id: idOf(name),
    name,
    tags: { Service: 'demo' },
    state: 'Active',
    said: 'ACTIVE',
    access,
    ...changed,
  };
}
const here = 'arn:aws:eks:eu-central-1:1:';
const read = (...clusters: SourcedCluster[]): Reading => ({
  clusters,
  places: [here, 'arn:aws:eks:eu-central-1:2:'],
  unread: [],
  failures: [],
});
const readIn = (...places: string[]): Reading => ({ clusters: [], places, unread: [], failures: [] });
const failed = (...clusters: SourcedCluster[]): Reading => ({
  clusters,
  places: [],
  unread: [],
  failures: [{ reason: 'Throttled', message: 'Expected EKS to answer, got Throttling.' }],
});

const denied = (of: SourcedCluster, ...clusters: SourcedCluster[]): Reading => {
  const problem = { cluster: of.name, reason: 'AccessDenied', message: `Expected ${of.name}, got no.` };
  const named = { region: 'eu-central-1', name: of.name };
  return { ...read(...clusters), unread: [{ ids: [of.id], named, problem }] };
};

const now = Date.parse('2026-11-22T12:00:00.000Z');
function decide(changed: {
  spec?: Partial<ClusterSetSpec>;
  readings: readonly Reading[];
  secrets?: readonly ExistingSecret[];
  grace?: Grace;
}): ClusterSetDecision {
  const { readings, secrets = [], grace = { before: [], now, seconds: 0 } } = changed;
  return decideClusterSet({ uid: 'mine', spec: { ...spec, ...changed.spec }, readings, secrets, grace });
}

/** The secret as a sync of this cluster leaves it. */
function existing(of: SourcedCluster, changed: Partial<ExistingSecret> = {}): ExistingSecret {
  const [wanted] = decide({ readings: [read(of)] }).create;
  if (wanted === undefined) throw new Error('Expected a secret for the cluster.');
  return {
    ...wanted,
    uid: `uid-${wanted.name}`,
    owner: { uid: 'mine', kind: 'ClusterSet', name: 'cart' },
    ...changed,
  };
}

/** A decision in short: what happens to which secret. */
const short = (decision: ClusterSetDecision): Record<string, readonly string[]> => ({
  create: decision.create.map(({ name }) => name),
  update: decision.update.map(({ name }) => name),
  delete: decision.delete.map(({ name }) => name),
  problems: decision.problems.map(({ reason }) => reason),
  names: decision.names,
});
const nothing = { create: [], update: [], delete: [], problems: [], names: [] };

const web = cluster('web1');
const other = { ...existing(web), owner: { uid: 'other', kind: 'ClusterSet', name: 'shop' } };
const handmade: ExistingSecret = {
  name: 'web1',
  uid: 'u',
  labels: { service: 'demo' },
  annotations: {},
  content: {},
};
const tagged = (tags: Record<string, string>) => cluster('web1', { tags });
const elsewhere = cluster('web1', { id: 'arn:aws:eks:eu-central-1:2:cluster/web1' });
const roleByTag = { template: { metadata: { labels: { role: '{{.awseks.cluster.tags.role}}' } } } };
const byNoTag: ClusterSetSpec['generators'] = [matching({})];

const table: [string, Parameters<typeof decide>[0], Partial<ReturnType<typeof short>>][] = [
  [
    'makes a secret for a cluster with the tags',
    { readings: [read(web)] },
    { create: ['web1'], names: ['web1'] },
  ],
  ['leaves a cluster with another tag out', { readings: [read(tagged({ Service: 'other' }))] }, {}],
  [
    'wants all tags',
    {
      spec: { generators: [matching({ Service: 'demo', env: 'prod' })] },
      readings: [read(web, cluster('web2', { tags: { Service: 'demo', env: 'prod' } }))],
    },
    { create: ['web2'], names: ['web2'] },
  ],
  ['does not take every cluster for no tags', { spec: { generators: byNoTag }, readings: [read(web)] }, {}],
  [
    'takes what any generator finds, once',
    { spec: { generators: [demo, demo] }, readings: [read(web), read(web, cluster('web2'))] },
    { create: ['web1', 'web2'], names: ['web1', 'web2'] },
  ],
  [
    'does nothing when all is as it is to be',
    { readings: [read(web)], secrets: [existing(web)] },
    { names: ['web1'] },
  ],
  [
    'changes a secret when the endpoint or the CA is another',
    {
      readings: [read(web)],
      secrets: [existing({ ...web, access: { server: 'https://old', config: '{}' } })],
    },
    { update: ['web1'], names: ['web1'] },
  ],
  [
    'changes a secret when the template says another label',
    { readings: [read(web)], secrets: [existing(web, { labels: { service: 'old' } })] },
    { update: ['web1'], names: ['web1'] },
  ],
  [
    'changes a secret when the template says a label no more',
    { spec: { template: {} }, readings: [read(web)], secrets: [existing(web)] },
    { update: ['web1'], names: ['web1'] },
  ],
  [
    'leaves labels that someone else has added',
    { readings: [read(web)], secrets: [existing(web, { labels: { ...existing(web).labels, mine: 'yes' } })] },
    { names: ['web1'] },
  ],
  [
    'keeps the secret of a cluster that it may not read, and does all else',
    {
      readings: [denied(web, cluster('web3'))],
      secrets: [existing(web), existing(cluster('web2'))],
    },
    { create: ['web3'], delete: ['web2'], names: ['web1', 'web3'], problems: ['AccessDenied'] },
  ],
  [
    'does not give the name of a cluster that it may not read to another',
    { readings: [denied(web, elsewhere)], secrets: [existing(web)] },
    { names: ['web1'], problems: ['AccessDenied', 'NameTaken'] },
  ],
  [
    'takes a cluster from whoever may read it',
    { spec: { generators: [demo, demo] }, readings: [denied(web), read(web)] },
    { create: ['web1'], names: ['web1'] },
  ],
  [
    'keeps the one of two clusters of a name that nobody may read',
    {
      spec: { generators: [demo, demo] },
      readings: [
        { ...denied(web), unread: [{ ...denied(web).unread[0]!, ids: [web.id, elsewhere.id] }] },
        read(elsewhere),
      ],
      secrets: [existing(web)],
    },
    { names: ['web1'], problems: ['AccessDenied', 'NameTaken'] },
  ],
  [
    'says once what two generators may not read',
    { spec: { generators: [demo, demo] }, readings: [denied(web), denied(web)], secrets: [existing(web)] },
    { names: ['web1'], problems: ['AccessDenied'] },
  ],
  [
    'deletes the secret of a cluster that is gone',
    { readings: [read()], secrets: [existing(web)] },
    { delete: ['web1'] },
  ],
  [
    'keeps the secret of a cluster that is gone for a while, and says so',
    { readings: [read()], secrets: [existing(web)], grace: { before: [], now, seconds: 180 } },
    { problems: ['ClusterMissing'], names: ['web1'] },
  ],
  [
    'deletes it when that is over',
    {
      readings: [read()],
      secrets: [existing(web)],
      grace: { before: [{ name: 'web1', since: '2026-11-22T11:57:00.000Z' }], now, seconds: 180 },
    },
    { delete: ['web1'] },
  ],
  [
    'deletes the secret of a cluster that is being deleted',
    { readings: [read(cluster('web1', { state: 'Deleting', said: 'DELETING' }))], secrets: [existing(web)] },
    { delete: ['web1'] },
  ],
  [
    'deletes the secret of a cluster that has lost its tag',
    { readings: [read(tagged({}))], secrets: [existing(web)] },
    { delete: ['web1'] },
  ],
  [
    'keeps the secret of a cluster in another region than was read',
    { readings: [readIn('arn:aws:eks:us-east-1:1:')], secrets: [existing(web)] },
    { problems: ['ClusterUnread'], names: ['web1'] },
  ],
  [
    'keeps the secret of a cluster in another account than was read',
    { readings: [readIn('arn:aws:eks:eu-central-1:12:')], secrets: [existing(web)] },
    { problems: ['ClusterUnread'], names: ['web1'] },
  ],
  [
    'keeps all secrets when nobody knows which account was read',
    { readings: [readIn()], secrets: [existing(web)] },
    { problems: ['ClusterUnread'], names: ['web1'] },
  ],
  [
    'keeps a secret that has lost which cluster it is of',
    { readings: [readIn(here)], secrets: [existing(web, { annotations: {} })] },
    { problems: ['ClusterUnread'], names: ['web1'] },
  ],
  [
    'gives the secret of a cluster whose place was not read to no other of its name',
    {
      readings: [{ ...readIn('arn:aws:eks:eu-central-1:2:'), clusters: [elsewhere] }],
      secrets: [existing(web)],
    },
    { problems: ['NameTaken'], names: ['web1'] },
  ],
  ['leaves the secrets of other owners', { readings: [read()], secrets: [other, handmade] }, {}],
  [
    'reports a secret of the same name that nobody owns, and leaves it',
    { readings: [read(web)], secrets: [handmade] },
    { problems: ['ForeignSecret'] },
  ],
  [
    'reports a secret of another set',
    { readings: [read(web)], secrets: [other] },
    { problems: ['NameTaken'] },
  ],
  [
    'takes the first of two accounts with one name, and reports the other',
    { spec: { generators: [demo, demo] }, readings: [read(web), read(elsewhere)] },
    { create: ['web1'], problems: ['NameTaken'], names: ['web1'] },
  ],
  [
    'leaves a secret to the account that has it',
    { spec: { generators: [demo, demo] }, readings: [read(elsewhere), read(web)], secrets: [existing(web)] },
    { problems: ['NameTaken'], names: ['web1'] },
  ],
  [
    'gives a secret to no other account while something could not be read',
    { spec: { generators: [demo, demo] }, readings: [read(elsewhere), failed()], secrets: [existing(web)] },
    { problems: ['Throttled', 'NameTaken'], names: ['web1'] },
  ],
  [
    'keeps the secret of a cluster that is missed for itself, though another has its name',
    { readings: [read(elsewhere)], secrets: [existing(web)], grace: { before: [], now, seconds: 300 } },
    { problems: ['NameTaken', 'ClusterMissing'], names: ['web1'] },
  ],
  [
    'deletes it first when its time is over, and makes none for the other in the same look',
    {
      readings: [read(elsewhere)],
      secrets: [existing(web)],
      grace: { before: [{ name: 'web1', since: '2026-11-22T11:55:00.000Z' }], now, seconds: 300 },
    },
    { delete: ['web1'], problems: ['NameTaken'] },
  ],
  [
    'does so at once where nothing that is missed has time',
    { readings: [read(elsewhere)], secrets: [existing(web)] },
    { delete: ['web1'], problems: ['NameTaken'] },
  ],
  [
    'makes the secret of the other when that of the missed one is gone, whoever has deleted it',
    {
      readings: [read(elsewhere)],
      grace: { before: [{ name: 'web1', since: '2026-11-22T11:59:00.000Z' }], now, seconds: 300 },
    },
    { create: ['web1'], names: ['web1'] },
  ],
  [
    'leaves the secret of a missed cluster as it is when that is back',
    {
      readings: [read(elsewhere, web)],
      secrets: [existing(web)],
      grace: { before: [{ name: 'web1', since: '2026-11-22T11:56:00.000Z' }], now, seconds: 300 },
    },
    { problems: ['NameTaken'], names: ['web1'] },
  ],
  [
    'has the secret of a cluster that is being deleted go, before another has its name',
    {
      readings: [read(elsewhere, cluster('web1', { state: 'Deleting', said: 'DELETING' }))],
      secrets: [existing(web)],
    },
    { delete: ['web1'], problems: ['NameTaken'] },
  ],
  [
    'says in a secret again which cluster it is of',
    {
      readings: [read({ ...elsewhere, access: { server: 'https://elsewhere', config: '{}' } }, web)],
      secrets: [existing(web, { annotations: {} })],
    },
    { update: ['web1'], problems: ['NameTaken'], names: ['web1'] },
  ],
  [
    'gives a secret that has lost which cluster it is of to none that is reached in another way',
    {
      readings: [read({ ...elsewhere, access: { server: 'https://elsewhere', config: '{}' } })],
      secrets: [existing(web, { annotations: {} })],
    },
    { problems: ['NameTaken'], names: ['web1'] },
  ],
  [
    'deletes nothing when a read failed, and makes what it found',
    { readings: [failed(cluster('web2'))], secrets: [existing(web)] },
    { create: ['web2'], problems: ['Throttled'], names: ['web1', 'web2'] },
  ],
  [
    'deletes nothing when a generator was not read',
    { readings: [], secrets: [existing(web)] },
    { names: ['web1'] },
  ],
  [
    'waits for a cluster that is being created',
    { readings: [read(cluster('web1', { state: 'Waiting', said: 'CREATING', access: undefined }))] },
    {},
  ],
  [
    'keeps the secret of a cluster that is being updated',
    { readings: [read(cluster('web1', { state: 'Waiting', said: 'UPDATING' }))], secrets: [existing(web)] },
    { names: ['web1'] },
  ],
  [
    'fills in tags',
    { spec: roleByTag, readings: [read(tagged({ Service: 'demo', role: 'web' }))] },
    { create: ['web1'], names: ['web1'] },
  ],
  [
    'reports a label that it cannot fill in',
    { spec: roleByTag, readings: [read(web)] },
    { problems: ['InvalidTemplate'] },
  ],
  [
    'keeps a secret whose label it cannot fill in any more',
    { spec: roleByTag, readings: [read(web)], secrets: [existing(web)] },
    { problems: ['InvalidTemplate'], names: ['web1'] },
  ],
  [
    'names a secret as near to its cluster as it can',
    { readings: [read(cluster('Web_1'))] },
    { create: ['web-1'], names: ['Web_1'] },
  ],
  [
    'names a secret without the dashes at the end of the name of its cluster',
    { spec: { template: {} }, readings: [read(cluster('Web_'))] },
    { create: ['web'], names: ['Web_'] },
  ],
];

describe('a ClusterSet', () => {
  it.each(table)('%s', (_, observed, want) => {
    expect(short(decide(observed))).toEqual({ ...nothing, ...want });
  });

  it('makes what Argo CD takes for the secret of a cluster', () => {
    const secret: DesiredSecret | undefined = decide({ readings: [read(web)] }).create[0];
    expect(secret).toEqual({
      name: 'web1',
      labels: { service: 'demo', cluster: 'web1', 'argocd.argoproj.io/secret-type': 'cluster' },
      annotations: {
        'okra.mumo.co/cluster-id': idOf('web1'),
        'okra.mumo.co/cluster-tags': '{"Service":"demo"}',
        'okra.mumo.co/generated':
          'argocd.argoproj.io/secret-type,cluster,service;okra.mumo.co/cluster-id,okra.mumo.co/cluster-tags',
      },
      content: { name: 'web1', server: 'https://web1.example.com', config: '{"of":"web1"}' },
    });
  });

  it('says in which VPC the cluster is, also in a secret that was made before', () => {
    const known = cluster('web1', { vpcID: 'vpc-0123456789abcdef0' });
    const { update } = decide({ readings: [read(known)], secrets: [existing(web)] });
    expect(update.map(({ annotations }) => annotations['okra.mumo.co/cluster-vpc-id'])).toEqual([
      'vpc-0123456789abcdef0',
    ]);
    expect(short(decide({ readings: [read(known)], secrets: [existing(known)] })).update).toEqual([]);
  });

  it('takes the older spelling of the selector', () => {
    const generators = [{ awseks: { clusterSelector: { matchTags: { Service: 'demo' } } } }];
    expect(decide({ spec: { generators }, readings: [read(web)] }).names).toEqual(['web1']);
  });

  it('says for which clusters it waits', () => {
    const creating = cluster('web1', { state: 'Waiting', said: 'CREATING' });
    expect(decide({ readings: [read(creating)] }).waiting).toEqual(['web1 is CREATING']);
  });
});

describe('a name that a missed cluster leaves to another', () => {
  const grace = { before: [], now, seconds: 300 };

  it('is that of the missed one until its time is over, and the other is told so', () => {
    const decision = decide({ readings: [read(elsewhere)], secrets: [existing(web)], grace });
    expect(decision.missed).toMatchObject({
      missing: [{ name: 'web1', since: '2026-11-22T12:00:00.000Z' }],
      againInSeconds: 300,
    });
    expect(decision.isFreed).toBe(false);
    expect(decision.problems[0]?.message).toBe(
      `Secret web1 for ${elsewhere.id} is already used for ${web.id}, which no generator finds at present. The name is free once that Secret is deleted; delete it to free the name now. Move one of them to a ClusterSet in another namespace.`,
    );
  });

  it('is free for the next look when its secret is deleted', () => {
    expect(decide({ readings: [read(elsewhere)], secrets: [existing(web)] }).isFreed).toBe(true);
    expect(decide({ readings: [read()], secrets: [existing(web)] }).isFreed).toBe(false);
  });

  it('is left to another set that waits for the secret of the missed one', () => {
    const secrets = [existing(web, { heirs: ['other'] })];
    const decision = decide({ readings: [read(elsewhere)], secrets, grace });
    expect(decision.release).toEqual(['web1']);
    expect(short(decision)).toEqual({ ...nothing, problems: ['NameTaken'] });
  });
});

describe('the status of a sync', () => {
  const at = { generation: 2, time: '2026-11-20T00:00:00Z' };
  const problem = { reason: 'Throttled', message: 'Expected EKS to answer, got Throttling.' };

  it('is Synced without problems', () => {
    expect(deriveSyncStatus({ message: 'All is well.', problems: [] }, {}, at)).toMatchObject({
      observedGeneration: 2,
      phase: 'Synced',
      reason: 'Synced',
      message: 'All is well.',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Degraded', status: 'False' },
      ],
    });
  });

  it('is Degraded with the first problem and the number of the others', () => {
    const problems = [problem, { ...problem, message: 'x'.repeat(2000) }];
    const status = deriveSyncStatus({ message: '1 cluster has its secret.', problems }, {}, at);
    expect(status).toMatchObject({ phase: 'Degraded', reason: 'Throttled' });
    expect(status.message).toBe(`${problem.message} (and 1 more) 1 cluster has its secret.`);
    expect(status.problems?.[1]?.message).toHaveLength(1024);
  });

  it('keeps the time since when it is so', () => {
    const before = deriveSyncStatus({ message: 'a', problems: [] }, {}, at);
    const later = deriveSyncStatus({ message: 'b', problems: [] }, before, {
      ...at,
      time: '2026-11-21T00:00:00Z',
    });
    expect(later.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([at.time, at.time]);
  });
});

describe('a secret that two ClusterSets want', () => {
  const grace = { before: [], now, seconds: 180 };
  const claimed = existing(web, { heirs: ['other'] });

  it('is claimed by the second, when it is of the same cluster', () => {
    const secrets = [other];
    expect(decide({ readings: [read(web)], secrets })).toMatchObject({ claim: ['web1'], release: [] });
    const another = cluster('web1', { id: 'arn:aws:eks:us-east-1:1:cluster/web1' });
    expect(decide({ readings: [read(another)], secrets }).claim).toEqual([]);
    expect(decide({ readings: [read()], secrets }).claim).toEqual([]);
  });

  it('is left to it by the first, without a grace, when no generator gives the cluster there any more', () => {
    const decision = decide({ readings: [read()], secrets: [claimed], grace });
    expect(decision).toMatchObject({ claim: [], release: ['web1'] });
    expect(short(decision)).toEqual(nothing);
  });

  it('stays with the first for as long as that wants it, or cannot read', () => {
    for (const reading of [read(web), failed()]) {
      const decision = decide({ readings: [reading], secrets: [claimed], grace });
      expect(decision).toMatchObject({ claim: [], release: [] });
      expect(decision.delete).toEqual([]);
    }
  });

  it('is changed by the second when it has inherited it', () => {
    const secrets = [existing(web, { isInherited: true })];
    expect(short(decide({ readings: [read(web)], secrets }))).toMatchObject({ update: ['web1'], delete: [] });
  });
});

describe('the secrets of a set for Argo CD on EKS', () => {
  const template = { server: 'ARN' } as const;
  const content = { name: 'web', server: idOf('web'), config: '' };

  it('name clusters by ARN, with a config only for another role', () => {
    const role = { server: 'https://web.example.com', config: '{"tls":1}', configByARN: '{"as":"role"}' };
    const made = (access: SourcedCluster['access']) =>
      decide({ spec: { template }, readings: [read(cluster('web', { access }))] }).create;
    expect(made(cluster('web').access)).toMatchObject([{ content }]);
    expect(made(role)).toMatchObject([{ content: { ...content, config: role.configByARN } }]);
  });

  it('change when the set says another form, and then no more', () => {
    const found = cluster('web');
    const secrets = [existing(found)];
    const decision = decide({ spec: { template }, readings: [read(found)], secrets });
    expect(decision.update).toMatchObject([{ content }]);
    const [after] = decision.update;
    if (after === undefined) throw new Error('Expected an update, got none.');
    const { config: _none, ...written } = after.content;
    const changed = { ...existing(found), ...after, content: written };
    expect(decide({ spec: { template }, readings: [read(found)], secrets: [changed] }).update).toEqual([]);
  });
});

describe('a cluster that two generators find with different logins', () => {
  const as = (role: string): SourcedCluster => {
    const access = { server: 'https://web.example.com', config: `{"as":"${role}"}` };
    return cluster('web', { access });
  };
  const generators = [demo, matching({ Service: 'demo' })];
  const secrets = [existing(as('first'))];
  const sync = (readings: readonly Reading[]): ClusterSetDecision =>
    decide({ spec: { generators }, readings, secrets });

  it('gets that of the second when the first does not find it, or cannot be read', () => {
    const update = [{ content: { config: '{"as":"second"}' } }];
    expect(sync([read(), read(as('second'))]).update).toMatchObject(update);
    expect(sync([failed(), read(as('second'))])).toMatchObject({ update, delete: [], names: ['web'] });
  });

  it('gets that of the first while the second cannot be read', () => {
    expect(sync([read(as('new')), failed()]).update).toMatchObject([{ content: { config: '{"as":"new"}' } }]);
  });
});

it('keeps every secret of clusters about which generators are told the same', () => {
  const problem = { reason: 'AccessDenied', message: 'Expected EKS to describe cluster web, got no.' };
  const named = { region: 'eu-central-1', name: 'web' };
  const readings = [[idOf('web')], []].map((ids) => ({ ...read(), unread: [{ ids, named, problem }] }));
  const decision = decide({
    spec: { generators: [demo, demo] },
    readings,
    secrets: [existing(cluster('web'))],
  });
  expect(decision).toMatchObject({ delete: [], names: ['web'], problems: [{ reason: 'AccessDenied' }] });
});
