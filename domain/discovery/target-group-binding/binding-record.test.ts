import { describe, expect, it } from 'vitest';
import { countOf, heldBack, recordOf } from './binding-record.ts';

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

describe('what is to be deregistered', () => {
  const leaving = { targets: [nodes], deregister: [at('i-x', 'i-y')] };
  const moved = { targets: [{ ...nodes, port: 81 }], deregister: [at('i-a', 'i-b', 'i-x')] };
  const to81 = (...ids: string[]) => ids.map((id) => ({ id, port: 81 }));

  it.each([
    ['goes when all was registered', leaving, { failed: [], reasons: [] }, []],
    [
      'goes when AWS has refused one of several',
      leaving,
      { failed: at('i-b'), reasons: ['InvalidTarget'] },
      [],
    ],
    [
      'stays when AWS has refused all that is wanted',
      leaving,
      { failed: at('i-a', 'i-b'), reasons: ['InvalidTarget'] },
      at('i-x', 'i-y'),
    ],
    [
      'stays when registering was not allowed, throttled, or not answered',
      leaving,
      { failed: at('i-b'), reasons: ['AccessDenied'] },
      at('i-x', 'i-y'),
    ],
    [
      'goes when there are too many, to make room',
      leaving,
      { failed: at('i-a', 'i-b'), reasons: ['TooManyTargets'] },
      [],
    ],
    [
      'stays at its old port when it did not get the new one',
      moved,
      { failed: to81('i-b'), reasons: ['InvalidTarget'] },
      at('i-b'),
    ],
  ])('%s', (_, decided, registering, want) => expect(heldBack(decided, registering)).toEqual(want));
});
