import { describe, expect, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import { aCell, signal, viewOf } from '../testing/builders.ts';
import type { ObjectEvent } from '../event.ts';
import { route } from './route.ts';
import type { ForeignObject, KindEvent } from '../kinds.ts';

type Status = NonNullable<ForeignObject['status']>;

describe('an AnalysisRun', () => {
  const aRun = (phase?: string, cell = 'web'): ForeignObject => ({
    metadata: { namespace: 'default', name: 'web-1', labels: { 'okra.mumo.co/cell': cell } },
    ...(phase === undefined ? {} : { status: { phase: phase as 'Running' } }),
  });
  const told = [signal('cell/default/web', 'analysisFinished')];
  const view = (phase: CellStatus['phase']) => viewOf({ cells: [aCell('web', { phase })] });

  it.each(['Successful', 'Failed', 'Error', 'Inconclusive'])('that ends %s tells the rollout', (phase) => {
    const happened: KindEvent = {
      kind: 'AnalysisRun',
      event: { type: 'update', object: aRun(phase), old: aRun('Running') },
    };
    expect(route(happened, view('Progressing'))).toEqual(told);
    expect(route(happened, viewOf({}))).toEqual(told);
  });

  it.each([undefined, 'Pending', 'Running'])('in phase %s tells nobody', (phase) => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'add', object: aRun(phase) } };
    expect(route(happened, view('Progressing'))).toEqual([]);
  });

  it('that had ended before tells nobody', () => {
    const event = { type: 'update', object: aRun('Failed'), old: aRun('Failed') } as const;
    expect(route({ kind: 'AnalysisRun', event }, view('Progressing'))).toEqual([]);
  });

  it('that a person has decided tells the rollout', () => {
    const event = { type: 'update', object: aRun('Successful'), old: aRun('Inconclusive') } as const;
    expect(route({ kind: 'AnalysisRun', event }, view('Progressing'))).toEqual(told);
  });

  it('that is gone tells the rollout, whatever its phase was', () => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'delete', object: aRun('Running') } };
    expect(route(happened, view('Progressing'))).toEqual(told);
  });

  it('that ends just now tells the rollout, even when its Cell is not known to have begun yet', () => {
    const event = { type: 'update', object: aRun('Failed'), old: aRun('Running') } as const;
    expect(route({ kind: 'AnalysisRun', event }, view('Completed'))).toEqual(told);
  });

  it('of a settled Cell tells nobody when it is listed', () => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'add', object: aRun('Failed') } };
    expect(route(happened, view('Completed'))).toEqual([]);
  });

  it('that names no Cell tells nobody', () => {
    const happened: KindEvent = { kind: 'AnalysisRun', event: { type: 'add', object: aRun('Failed', '') } };
    expect(route(happened, viewOf({}))).toEqual([]);
  });
});

describe('an Experiment', () => {
  const anExperiment = (status?: Status): ForeignObject => ({
    metadata: { namespace: 'default', name: 'web-1', labels: { 'okra.mumo.co/cell': 'web' } },
    ...(status === undefined ? {} : { status }),
  });
  const view = viewOf({ cells: [aCell('web', { phase: 'Progressing' })] });
  const invalid = { type: 'InvalidSpec', status: 'True' };

  it.each<Status>([{ phase: 'Successful' }, { phase: 'Failed' }, { conditions: [invalid] }])(
    'that ends as %j tells the rollout',
    (status) => {
      const event = { type: 'update', object: anExperiment(status), old: anExperiment() } as const;
      expect(route({ kind: 'Experiment', event }, view)).toEqual([
        signal('cell/default/web', 'experimentFinished'),
      ]);
    },
  );

  it('that runs tells nobody', () => {
    const event = { type: 'add', object: anExperiment({ phase: 'Running' }) } as const;
    expect(route({ kind: 'Experiment', event }, view)).toEqual([]);
  });
});

describe('a Job', () => {
  const aJob = (...types: readonly string[]): ForeignObject => ({
    metadata: { namespace: 'default', name: 'web-1', labels: { 'okra.mumo.co/cell': 'web' } },
    status: { conditions: types.map((type) => ({ type, status: 'True' })) },
  });
  const told = [signal('cell/default/web', 'analysisFinished')];
  const view = viewOf({ cells: [aCell('web', { phase: 'Progressing' })] });

  it.each<[string, ObjectEvent<ForeignObject>, object]>([
    ['that succeeds', { type: 'update', object: aJob('Complete'), old: aJob() }, told],
    ['that fails', { type: 'update', object: aJob('FailureTarget'), old: aJob() }, told],
    ['that had failed before', { type: 'update', object: aJob('Failed'), old: aJob('FailureTarget') }, []],
    ['that ended while nobody watched', { type: 'add', object: aJob('Complete') }, told],
    ['that runs', { type: 'add', object: aJob() }, []],
    ['that is deleted', { type: 'delete', object: aJob() }, told],
  ])('%s', (_, event, want) => expect(route({ kind: 'Job', event }, view)).toEqual(want));
});

describe('a ReplicaSet', () => {
  const view = viewOf({
    cells: [aCell('web', { reason: 'ReplicaSetNotFound' }), aCell('api', { phase: 'Progressing' })],
  });
  const replicaSet = (generation: number) => ({
    metadata: { namespace: 'default', name: 'wy', generation },
  });

  it.each<[string, ObjectEvent<ForeignObject>]>([
    ['that comes', { type: 'add', object: replicaSet(1) }],
    ['that is changed', { type: 'update', object: replicaSet(2), old: replicaSet(1) }],
  ])('%s reaches the Cells that lack one', (_, event) =>
    expect(route({ kind: 'ReplicaSet', event }, view)).toEqual([signal('cell/default/web', 'changed')]),
  );

  it.each<[string, ObjectEvent<ForeignObject>]>([
    ['that goes', { type: 'delete', object: replicaSet(1) }],
    ['whose pods come and go', { type: 'update', object: replicaSet(1), old: replicaSet(1) }],
  ])('%s reaches nobody', (_, event) => expect(route({ kind: 'ReplicaSet', event }, view)).toEqual([]));
});

describe('an analysis template', () => {
  const lacking = aCell('web', { phase: 'Failed', reason: 'AnalysisTemplateNotFound' });
  const other = { ...lacking, metadata: { ...lacking.metadata, namespace: 'other' } };
  const view = viewOf({ cells: [lacking, other, aCell('api', { phase: 'Progressing' })] });

  it('reaches the Cells of its namespace that lack one', () => {
    const object = { metadata: { namespace: 'default', name: 'success-rate' } };
    expect(route({ kind: 'AnalysisTemplate', event: { type: 'add', object } }, view)).toEqual([
      signal('cell/default/web', 'changed'),
    ]);
  });

  it('of the whole cluster reaches the Cells of every namespace that lack one', () => {
    const object = { metadata: { name: 'success-rate' } };
    expect(route({ kind: 'ClusterAnalysisTemplate', event: { type: 'add', object } }, view)).toEqual([
      signal('cell/default/web', 'changed'),
      signal('cell/other/web', 'changed'),
    ]);
  });

  it('that is gone reaches nobody', () => {
    const object = { metadata: { namespace: 'default', name: 'success-rate' } };
    expect(route({ kind: 'AnalysisTemplate', event: { type: 'delete', object } }, view)).toEqual([]);
  });
});
