import { describe, expect, it } from 'vitest';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ForeignObject } from '../kinds.ts';
import { aCell, aGroup, signal, start, viewOf } from '../testing/builders.ts';
import { applicationsDigest } from './route-applications.ts';
import { route } from './route.ts';

const LABEL = { 'okra.mumo.co/cell': 'mysystem' };

const parent: Cell = {
  ...aCell('mysystem'),
  spec: {
    ...aCell('mysystem').spec,
    clusters: [],
    applications: [{ name: 'web', argocd: { applicationSet: { name: 'web' } } }],
  },
};
const child = (name: string, status: Cell['status'] = {}): Cell => {
  const cell = aCell(name, status);
  return { ...cell, metadata: { ...cell.metadata, labels: LABEL } };
};
const group = aGroup('mysystem-web-c1', LABEL);
const secret: StoredClusterSecret = {
  metadata: {
    namespace: 'default',
    name: 'c1',
    uid: 'u',
    resourceVersion: '1',
    labels: { ...LABEL, 'argocd.argoproj.io/secret-type': 'cluster' },
  },
};

/** What the watchers know when the Cell has looked at all that there is. */
function settledView(
  changed: { child?: Cell; groups?: AWSTargetGroup[]; secrets?: StoredClusterSecret[] } = {},
) {
  const of = { groups: [group], secrets: [secret] };
  const observedHash = applicationsDigest(parent, viewOf({ ...of, cells: [parent, child('mysystem-web')] }));
  const seen: Cell = { ...parent, status: { phase: 'Completed', observedHash } };
  const { child: other = child('mysystem-web'), ...others } = changed;
  return viewOf({ ...of, ...others, cells: [seen, other] });
}

describe('what was made for a Cell with applications', () => {
  it('starts nothing while it is as the Cell has seen it', () => {
    const view = settledView();
    const [seen = parent] = view.Cell.list('default');
    const said = [
      ...route({ kind: 'Cell', event: { type: 'update', object: seen, old: seen } }, view),
      ...route({ kind: 'Secret', event: { type: 'add', object: secret } }, view),
      ...route({ kind: 'AWSTargetGroup', event: { type: 'update', object: group, old: group } }, view),
    ];
    expect(said.filter((one) => one.do === 'Start' && one.key.name === 'mysystem')).toEqual([]);
  });

  it('starts the Cell when it is seen first, as its workflow may have been lost, which nothing else would start', () => {
    const view = settledView();
    const [object = parent] = view.Cell.list('default');
    expect(route({ kind: 'Cell', event: { type: 'add', object } }, view)).toContainEqual(start('mysystem'));
  });

  it('starts the Cell when a secret is gone', () => {
    const view = settledView({ secrets: [] });
    expect(route({ kind: 'Secret', event: { type: 'delete', object: secret } }, view)).toEqual([
      start('mysystem'),
    ]);
  });

  it('starts the Cell when an AWSTargetGroup has lost its label', () => {
    const bare = aGroup('mysystem-web-c1', {});
    const view = settledView({ groups: [bare] });
    expect(
      route({ kind: 'AWSTargetGroup', event: { type: 'update', object: bare, old: group } }, view),
    ).toContainEqual(start('mysystem'));
  });

  it('starts the Cell when the Cell of an application has another phase', () => {
    const [old, object] = [child('mysystem-web'), child('mysystem-web', { phase: 'Reverted' })];
    const view = settledView({ child: object });
    expect(route({ kind: 'Cell', event: { type: 'update', object, old } }, view)).toContainEqual(
      start('mysystem'),
    );
  });

  it('starts the Cell that is being deleted when the Cell of an application has gone', () => {
    const [seen] = settledView().Cell.list('default');
    if (seen === undefined) throw new Error('Expected the Cell, got none.');
    const deleting = { ...seen, metadata: { ...seen.metadata, deletionTimestamp: '2026-11-23T10:00:00Z' } };
    const view = viewOf({ cells: [deleting], groups: [group], secrets: [secret] });
    expect(
      route({ kind: 'Cell', event: { type: 'delete', object: child('mysystem-web') } }, view),
    ).toContainEqual(start('mysystem'));
  });

  const at = (ready: boolean, jobs: 'Syncing' | 'Synced' = 'Synced'): Cell => {
    const clusters = [{ name: 'c1', ready, message: '', since: '2026-11-23T10:00:00Z' }];
    const applications = [
      { name: 'jobs', phase: jobs },
      { name: 'web', phase: 'Migrating' as const },
    ];
    return { ...parent, status: { clusters, applications } };
  };
  const told = (object: Cell, old: Cell) => {
    const progressing = (name: string, status: 'True' | 'False') =>
      child(name, {
        conditions: [
          {
            type: 'Progressing',
            status,
            reason: 'ShiftingTraffic',
            message: '',
            lastTransitionTime: '2026-11-23T10:00:00Z',
          },
        ],
      });
    const [busy, idle] = [progressing('mysystem-web', 'True'), progressing('mysystem-api', 'False')];
    const view = viewOf({ cells: [at(false), busy, idle, aCell('other')] });
    return route({ kind: 'Cell', event: { type: 'update', object, old } }, view);
  };
  const wakesWeb = signal('cell/default/mysystem-web', 'changed');

  it('has the Cells whose traffic moves look again when an application before theirs is in place, or is not any more', () => {
    expect(told(at(true, 'Synced'), at(true, 'Syncing'))).toContainEqual(wakesWeb);
    expect(told(at(true, 'Syncing'), at(true, 'Synced'))).toContainEqual(wakesWeb);
    expect(told(at(true, 'Syncing'), at(true, 'Syncing'))).not.toContainEqual(wakesWeb);
  });

  it('has the Cells whose traffic moves look again when other clusters are ready', () => {
    expect(told(at(false), at(true))).toContainEqual(wakesWeb);
    expect(told(at(true), at(false))).toContainEqual(wakesWeb);
    expect(told(at(false), at(true)).filter(({ do: what }) => what === 'Signal')).toEqual([wakesWeb]);
    expect(told(at(false), at(false))).not.toContainEqual(wakesWeb);
  });

  const wake = signal('cell/default/mysystem', 'changed');
  const applicationSet = (name: string, labels = {}): ForeignObject => ({
    metadata: { namespace: 'default', name, uid: name, resourceVersion: '1', labels },
  });
  const application = (of: string, more: object = {}): ForeignObject => ({
    metadata: {
      namespace: 'default',
      name: `${of}-c1`,
      uid: 'u',
      resourceVersion: '1',
      ownerReferences: [{ kind: 'ApplicationSet', name: of }],
    },
    ...more,
  });
  const selecting = (selector: string): Cell => ({
    ...parent,
    spec: { ...parent.spec, applications: [{ name: 'web', argocd: { applicationSet: { selector } } }] },
  });

  it.each([
    ['Application', application('web')],
    ['ApplicationSet', applicationSet('web')],
  ] as const)('has it look again when an %s has changed', (kind, object) => {
    for (const event of [
      { type: 'add', object },
      { type: 'update', object: { ...object, digest: 'a' }, old: { ...object, digest: 'b' } },
      { type: 'delete', object },
    ] as const)
      expect(route({ kind, event }, settledView())).toEqual([wake]);
    expect(route({ kind, event: { type: 'add', object } }, viewOf({ cells: [aCell('web')] }))).toEqual([]);
  });

  it.each([
    ['Application of another ApplicationSet', 'Application', application('other')],
    [
      'Application of none',
      'Application',
      { metadata: { ...application('web').metadata, ownerReferences: [] } },
    ],
    [
      'Application of something else that has the name',
      'Application',
      {
        metadata: {
          ...application('web').metadata,
          ownerReferences: [{ kind: 'Application', name: 'web' }],
        },
      },
    ],
    ['ApplicationSet that it does not name', 'ApplicationSet', applicationSet('other')],
  ] as const)('is spared an %s', (_, kind, object) => {
    expect(route({ kind, event: { type: 'add', object } }, settledView())).toEqual([]);
  });

  it.each([
    ['Application', application('web')],
    ['ApplicationSet', applicationSet('web')],
  ] as const)('is spared what says nothing new in an %s', (kind, object) => {
    const event = {
      type: 'update',
      object: { ...object, digest: 'a' },
      old: { ...object, digest: 'a' },
    } as const;
    expect(route({ kind, event }, settledView())).toEqual([]);
  });

  it('has it look again when an Application has gone to another ApplicationSet', () => {
    const event = { type: 'update', object: application('other'), old: application('web') } as const;
    expect(route({ kind: 'Application', event }, settledView())).toEqual([wake]);
  });

  it('has it look again when what its selector takes has changed, or took it before', () => {
    const cells = [selecting('svc=web')];
    const view = viewOf({
      cells,
      applicationSets: [applicationSet('one', { svc: 'web' }), applicationSet('two')],
    });
    const add = (object: ForeignObject) =>
      route({ kind: 'Application', event: { type: 'add', object } }, view);
    expect(add(application('one'))).toEqual([wake]);
    expect(add(application('two'))).toEqual([]);
    // Its ApplicationSet is not known yet.
    expect(add(application('three'))).toEqual([wake]);
    const event = {
      type: 'update',
      object: applicationSet('one'),
      old: applicationSet('one', { svc: 'web' }),
    } as const;
    expect(route({ kind: 'ApplicationSet', event }, view)).toEqual([wake]);
  });

  it('is spared what Argo CD writes while the Cell is settled', () => {
    const condition = { type: 'Progressing', status: 'False', reason: 'Synced', message: '' } as const;
    const conditions = [{ ...condition, lastTransitionTime: '2026-11-22T10:00:00Z' }];
    const view = viewOf({ cells: [{ ...parent, status: { phase: 'Completed', conditions } }] });
    expect(route({ kind: 'Application', event: { type: 'add', object: application('web') } }, view)).toEqual(
      [],
    );
  });

  it('has it look again when one of its revisions has gone', () => {
    const object = {
      metadata: {
        namespace: 'default',
        name: 'mysystem-web-1',
        uid: 'u',
        resourceVersion: '1',
        labels: LABEL,
      },
    };
    expect(route({ kind: 'ControllerRevision', event: { type: 'delete', object } }, settledView())).toEqual([
      signal('cell/default/mysystem', 'changed'),
    ]);
  });
});
