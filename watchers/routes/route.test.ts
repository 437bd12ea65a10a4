import type { CellStatus } from '../../crds/cell.ts';
import { describe, expect, it } from 'vitest';
import { aCell, aConfig, aGroup, settled, signal, start, viewOf } from '../testing/builders.ts';
import { route } from './route.ts';
import type { Instruction } from '../instruction.ts';
import type { KindEvent } from '../kinds.ts';
import { aRolloutStatus } from '../../domain/testing/builders.ts';

const check: Instruction = { do: 'CheckTargetGroups', namespace: 'default' };

describe('a Cell', () => {
  const groups = [aGroup('web1')];
  const web = settled(aCell('web'), groups);

  it('that is new starts its rollout', () => {
    expect(route({ kind: 'Cell', event: { type: 'add', object: aCell('web') } }, viewOf({ groups }))).toEqual(
      [start('web'), check],
    );
  });

  it.each<[string, KindEvent & { kind: 'Cell' }]>([
    ['is new', { kind: 'Cell', event: { type: 'add', object: aCell('web') } }],
    ['is gone', { kind: 'Cell', event: { type: 'delete', object: web } }],
    [
      'selects others or names another listener',
      {
        kind: 'Cell',
        event: { type: 'update', object: { ...web, metadata: { ...web.metadata, generation: 2 } }, old: web },
      },
    ],
  ])('that %s has the target groups of its namespace checked, where there are any', (_, happened) => {
    expect(route(happened, viewOf({ groups }))).toContainEqual(check);
    expect(route(happened, viewOf({}))).not.toContainEqual(check);
  });

  it('that is settled and unchanged starts nothing when it is seen first', () => {
    const happened: KindEvent = { kind: 'Cell', event: { type: 'add', object: web } };
    expect(route(happened, viewOf({ groups }))).toEqual([]);
  });

  it('whose target group went while nobody looked starts its rollout', () => {
    expect(route({ kind: 'Cell', event: { type: 'add', object: web } }, viewOf({}))).toEqual([start('web')]);
  });

  it('whose spec changed starts its rollout', () => {
    const object = { ...web, spec: { ...web.spec, replicas: 2 } };
    expect(route({ kind: 'Cell', event: { type: 'update', object, old: web } }, viewOf({ groups }))).toEqual([
      start('web'),
    ]);
  });

  it('whose status alone changed starts nothing', () => {
    const object = settled(web, groups, { phase: 'Progressing', canaryWeight: 20 });
    expect(route({ kind: 'Cell', event: { type: 'update', object, old: web } }, viewOf({ groups }))).toEqual(
      [],
    );
  });

  it('from which someone removed a blocked version starts its rollout', () => {
    const blocked = settled(aCell('web'), groups, {
      blockedVersions: [{ version: '1.1.0', cause: 'x', time: '2026-11-20T00:00:00Z' }],
    });
    const object = { ...blocked, status: { ...blocked.status, blockedVersions: [] } };
    const happened: KindEvent = { kind: 'Cell', event: { type: 'update', object, old: blocked } };
    expect(route(happened, viewOf({ groups }))).toEqual([start('web')]);
  });

  const time = '2026-11-20T00:00:00Z';
  const progressing = (status: 'True' | 'False') => ({
    conditions: [{ type: 'Progressing', status, reason: 'x', message: '', lastTransitionTime: time }],
  });
  it.each<[string, CellStatus]>([
    ['that makes progress', { phase: 'Waiting', ...progressing('True') }],
    ['in the midst of a rollout', { phase: 'Paused', rollout: aRolloutStatus({ startedAt: time }) }],
    ['that has failed', { phase: 'Failed', ...progressing('False') }],
    [
      'whose last target groups wait at weight 0',
      { phase: 'Completed', targetGroups: [{ name: 'a', arn: 'arn:a', role: 'Previous', weight: 0 }] },
    ],
  ])('%s is taken up again when it is seen first, and only then', (_, status) => {
    const object = settled(aCell('web'), groups, status);
    const configs = [aConfig()];
    expect(route({ kind: 'Cell', event: { type: 'add', object } }, viewOf({ groups, configs }))).toEqual([
      start('web'),
    ]);
    const update: KindEvent = { kind: 'Cell', event: { type: 'update', object, old: web } };
    expect(route(update, viewOf({ groups, configs }))).toEqual([]);
  });

  it.each(['Waiting', 'Completed', 'Reverted'] as const)('in phase %s is left alone', (phase) => {
    const object = settled(aCell('web'), groups, { phase, ...progressing('False') });
    expect(route({ kind: 'Cell', event: { type: 'add', object } }, viewOf({ groups }))).toEqual([]);
  });

  it('that is gone tells its rollout, if there is one', () => {
    expect(route({ kind: 'Cell', event: { type: 'delete', object: web } }, viewOf({}))).toEqual([
      signal('cell/default/web', 'changed'),
    ]);
  });
});

/** What is said to Cells; that a group is checked has tests of its own. */
const toCells: typeof route = (happened, view) =>
  route(happened, view).filter((one) => one.do !== 'CheckTargetGroups');

describe('an AWSTargetGroup', () => {
  const web1 = aGroup('web1');
  const web = settled(aCell('web'), [web1]);
  const api = settled(aCell('api'), [web1]);
  const elsewhere = { ...aCell('web'), metadata: { ...aCell('web').metadata, namespace: 'other' } };

  it('that is new reaches the Cells of its namespace that select it, and only those', () => {
    const web2 = aGroup('web2');
    const view = viewOf({ cells: [web, api, elsewhere], groups: [web1, web2] });
    expect(toCells({ kind: 'AWSTargetGroup', event: { type: 'add', object: web2 } }, view)).toEqual([
      start('web'),
    ]);
  });

  it('whose version changed reaches its Cell', () => {
    const object = aGroup('web1', { role: 'web', 'okra.mumo.co/version': '2.0.0' });
    const view = viewOf({ cells: [web, api], groups: [object] });
    expect(toCells({ kind: 'AWSTargetGroup', event: { type: 'update', object, old: web1 } }, view)).toEqual([
      start('web'),
    ]);
  });

  it('whose tags in AWS say another version reaches its Cell', () => {
    const object = { ...web1, status: { version: '2.0.0' } };
    const view = viewOf({ cells: [web, api], groups: [object] });
    const happened: KindEvent = { kind: 'AWSTargetGroup', event: { type: 'update', object, old: web1 } };
    expect(route(happened, view)).toEqual([start('web')]);
  });

  it('that AWS has been asked about reaches nobody because of that, though its Cell has not seen yet that it is there', () => {
    const web2 = aGroup('web2');
    const object = { ...web2, status: { observedGeneration: 1, conditions: [] } };
    const view = viewOf({ cells: [web, api], groups: [web1, object] });
    expect(route({ kind: 'AWSTargetGroup', event: { type: 'update', object, old: web2 } }, view)).toEqual([]);
  });

  it('that changes sides reaches the Cell it leaves and the one it joins', () => {
    const object = aGroup('web1', { role: 'api' });
    const view = viewOf({ cells: [web, api], groups: [object] });
    expect(toCells({ kind: 'AWSTargetGroup', event: { type: 'update', object, old: web1 } }, view)).toEqual([
      start('web'),
      start('api'),
    ]);
  });

  it('that is gone reaches its Cell', () => {
    const view = viewOf({ cells: [web, api] });
    expect(toCells({ kind: 'AWSTargetGroup', event: { type: 'delete', object: web1 } }, view)).toEqual([
      start('web'),
    ]);
  });

  it('whose label is of no meaning reaches nobody', () => {
    const object = aGroup('web1', { role: 'web', colour: 'blue' });
    const view = viewOf({ cells: [web], groups: [object] });
    expect(toCells({ kind: 'AWSTargetGroup', event: { type: 'update', object, old: web1 } }, view)).toEqual(
      [],
    );
  });

  it('that nobody selects reaches nobody', () => {
    const object = aGroup('db1', { role: 'db' });
    const view = viewOf({ cells: [web, api], groups: [web1, object] });
    expect(toCells({ kind: 'AWSTargetGroup', event: { type: 'add', object } }, view)).toEqual([]);
  });
});
