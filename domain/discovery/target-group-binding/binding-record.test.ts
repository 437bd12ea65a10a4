import { describe, expect, it } from 'vitest';
import { countOf, recordOf } from './registered-target.ts';

const byCluster = [{ cluster: 'c1', ids: ['i-a', 'i-b'] }];
const nodes = { name: 'nodes', port: 80, ids: ['i-a', 'i-b'], clusters: ['c1'], byCluster };
const gone = { name: 'nodes', port: 80, ids: ['i-x', 'i-y'] };
const decision = { targets: [nodes], claim: [nodes, gone] };
const at = (...ids: string[]) => ids.map((id) => ({ id, port: 80 }));

describe('what an object has registered', () => {
  it.each([
    ['is what is wanted, when all went well', { refused: [], remaining: [] }, [nodes]],
    [
      'is not what AWS refused',
      { refused: at('i-b'), remaining: [] },
      [{ ...nodes, ids: ['i-a'], byCluster: [{ cluster: 'c1', ids: ['i-a'] }] }],
    ],
    [
      'is still what could not be deregistered',
      { refused: [], remaining: at('i-y') },
      [nodes, { ...gone, ids: ['i-y'] }],
    ],
    [
      'stays at one port what is refused at another',
      { refused: [{ id: 'i-b', port: 81 }], remaining: [] },
      [nodes],
    ],
  ])('%s', (_, outcome, want) => expect(recordOf(decision, outcome)).toEqual(want));

  it('counts a target of two names once', () => {
    expect(
      countOf([nodes, { name: 'ids', port: 80, ids: ['i-a'] }, { name: 'x', port: 81, ids: ['i-a'] }]),
    ).toBe(3);
  });
});
