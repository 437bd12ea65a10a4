import { describe, expect, it } from 'vitest';
import type { Cell } from '../../crds/cell.ts';
import { childOf } from '../../domain/applications/child.ts';
import { clusters, web } from '../../domain/applications/testing/applications.ts';
import { ApplicationsWorld } from '../../domain/applications/testing/world.ts';
import type { ReadCell } from './dependencies.ts';
import { observedChild } from './child.ts';

const { spec, revisions } = new ApplicationsWorld({
  clusters: clusters('web-v1'),
  applications: [web()],
}).run();
const kept = revisions.get('web') ?? [];
const [revision] = kept;
if (revision === undefined) throw new Error('Expected a revision, got none.');
const made = childOf({ key: { name: 'mysystem' }, spec }, revision);
if (made === undefined) throw new Error('Expected a Cell for the application, got none.');
const { name, labels, annotations } = made;
const object: Cell = {
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Cell',
  metadata: { namespace: 'default', name, uid: 'c', labels, annotations },
  spec: made.spec,
};
const parent: ReadCell = {
  key: { namespace: 'default', name: 'mysystem' },
  uid: 'p',
  object: { ...object, metadata: { namespace: 'default', name: 'mysystem', uid: 'p' } },
  spec,
};
const windows = [{ timeZone: 'UTC', start: '00:00', end: '00:01' }];

describe('the Cell of an application', () => {
  const seen = (cell: ReadCell, known = kept) => observedChild(cell, known, { object, groups: [] });

  it.each([
    ['is as its Cell asks for', seen(parent), { revision: 1, isAsDesired: true }],
    [
      'is not after an edit of what holds it',
      seen({ ...parent, spec: { ...spec, windows } }),
      { isAsDesired: false },
    ],
    ['is not where nobody knows what its revision asks for', seen(parent, []), { isAsDesired: false }],
  ])('%s', (_, found, expected) => expect(found).toMatchObject(expected));
});
