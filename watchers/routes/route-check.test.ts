import { describe, expect, it } from 'vitest';
import type { Check } from '../../crds/check.ts';
import type { ObjectEvent } from '../event.ts';
import { aCell, viewOf } from '../testing/builders.ts';
import { routeCheck } from './route-measurement.ts';

type Phase = NonNullable<NonNullable<Check['status']>['phase']>;

/** A Check of a Cell, as it is known after a sample. */
const aCheck = (phase: Phase, { hash = 'a', observed = 'a', generation = 1, cell = 'web' } = {}): Check =>
  ({
    metadata: {
      namespace: 'default',
      name: 'dd',
      generation,
      labels: cell === '' ? {} : { 'okra.mumo.co/cell': cell },
      annotations: { 'analysis-hash': hash },
    },
    status: { phase, observedGeneration: 1, analysis: { observedHash: observed } },
  }) as unknown as Check;

const own = { do: 'Start', kind: 'Check', key: { namespace: 'default', name: 'dd' } };
const ofCell = { do: 'Signal', workflowId: 'cell/default/web', signal: 'analysisFinished' };
const add = (object: Check): ObjectEvent<Check> => ({ type: 'add', object });
const update = (old: Check, object: Check): ObjectEvent<Check> => ({ type: 'update', object, old });

describe('an event about a Check', () => {
  it.each<[string, ObjectEvent<Check>, object[]]>([
    ['that is new starts its workflow', add(aCheck('Pending')), [own]],
    ['that measures starts its workflow', add(aCheck('Running')), [own]],
    ['that has ended before wakes nobody', add(aCheck('Successful', { cell: '' })), []],
    [
      'that has ended for another hash starts its workflow',
      add(aCheck('Successful', { observed: 'old', cell: '' })),
      [own],
    ],
    [
      'that has ended for another generation starts its workflow',
      add(aCheck('Failed', { generation: 2, cell: '' })),
      [own],
    ],
    ['whose status was written is no news', update(aCheck('Running'), aCheck('Running')), []],
    [
      'that was edited starts its workflow',
      update(aCheck('Running'), aCheck('Running', { generation: 2 })),
      [own],
    ],
    [
      'whose annotation was changed starts its workflow',
      update(aCheck('Running'), aCheck('Running', { hash: 'b' })),
      [own],
    ],
    ['that ends wakes its Cell', update(aCheck('Running'), aCheck('Failed')), [ofCell]],
    ['that ended before wakes nobody', update(aCheck('Failed'), aCheck('Failed')), []],
    [
      'that is deleted wakes its workflow and its Cell',
      { type: 'delete', object: aCheck('Running') },
      [{ do: 'Signal', workflowId: 'check/default/dd', signal: 'changed' }, ofCell],
    ],
  ])('%s', (_, event, instructions) => expect(routeCheck(event, viewOf({}))).toEqual(instructions));

  it('that has ended wakes only a Cell that may wait for it', () => {
    const at = (phase: 'Progressing' | 'Completed') => viewOf({ cells: [aCell('web', { phase })] });
    expect(routeCheck(add(aCheck('Failed')), at('Progressing'))).toEqual([ofCell]);
    expect(routeCheck(add(aCheck('Failed')), at('Completed'))).toEqual([]);
  });
});
