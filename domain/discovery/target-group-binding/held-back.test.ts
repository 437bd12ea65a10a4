import { describe, expect, it } from 'vitest';
import { heldBack, type Registering, type Surroundings } from './held-back.ts';

const byCluster = [{ cluster: 'c1', ids: ['i-a', 'i-b'] }];
const nodes = { name: 'nodes', port: 80, ids: ['i-a', 'i-b'], clusters: ['c1'], byCluster };
const at = (...ids: string[]) => ids.map((id) => ({ id, port: 80 }));
const to81 = (...ids: string[]) => ids.map((id) => ({ id, port: 81 }));
const leaving = { targets: [nodes], deregister: [at('i-x', 'i-y')] };
const more = { targets: [nodes], deregister: [at('i-u', 'i-v', 'i-x', 'i-y')] };
const moved = { targets: [{ ...nodes, port: 81 }], deregister: [at('i-a', 'i-b', 'i-x')] };
const many = { targets: [nodes], deregister: [at('i-u', 'i-v'), at('i-x', 'i-y', 'i-z')] };
const one = { targets: [{ ...nodes, ids: ['i-a'] }], deregister: [at('i-x')] };

const refused = (...failed: Registering['failed']) => ({ failed, reasons: ['InvalidTarget'] });
const together = (...failed: Registering['failed']) => ({ ...refused(...failed), unsettled: failed });
const withoutRoom = (...failed: Registering['failed']) => ({
  failed,
  reasons: ['TooManyTargets'],
  withoutRoom: failed,
});

describe('what is to be deregistered', () => {
  it.each<
    [
      string,
      Parameters<typeof heldBack>[0],
      Partial<Registering>,
      Registering['failed'],
      Partial<Surroundings>?,
    ]
  >([
    ['goes when all was registered', leaving, {}, []],
    ['goes when AWS has refused one of several by itself', leaving, refused(...at('i-b')), []],
    [
      'stays when AWS has refused all that is wanted',
      leaving,
      refused(...at('i-a', 'i-b')),
      at('i-x', 'i-y'),
    ],
    [
      'stays when registering was not allowed, throttled, or not answered',
      leaving,
      { failed: at('i-b'), reasons: ['AccessDenied'] },
      at('i-x', 'i-y'),
    ],
    ['stays at its old port when it did not get the new one', moved, refused(...to81('i-b')), at('i-b')],
    [
      'stays as far as AWS has refused others together, of which most may be fine',
      { ...more, targets: [{ ...nodes, ids: ['i-a', 'i-b', 'i-c'] }] },
      together(...at('i-b', 'i-c')),
      at('i-u', 'i-v'),
    ],
    [
      'stays at its old port first where others were refused together',
      moved,
      together(...to81('i-b')),
      at('i-b'),
    ],
    [
      'goes but for half where there is no room for any other',
      many,
      withoutRoom(...at('i-a', 'i-b')),
      at('i-u', 'i-v', 'i-x'),
    ],
    [
      'stays where half is on its way out, and its room is not free yet',
      { ...leaving, deregister: [at('i-x', 'i-y')] },
      withoutRoom(...at('i-a', 'i-b')),
      at('i-x', 'i-y'),
      { draining: 3 },
    ],
    [
      'goes where the others are half of all, and there is no room for the rest',
      { ...leaving, deregister: [at('i-x')] },
      withoutRoom(...at('i-b')),
      [],
    ],
    ['stays where it is the only one that serves', one, withoutRoom(...at('i-a')), at('i-x')],
    [
      'goes where there is no room and it does not serve',
      one,
      withoutRoom(...at('i-a')),
      [],
      { unhealthy: at('i-x') },
    ],
    [
      'goes first where it does not serve',
      leaving,
      withoutRoom(...at('i-a', 'i-b')),
      at('i-y'),
      { unhealthy: at('i-x') },
    ],
    [
      'goes when it has ended, though others may come that AWS has refused together',
      { ...more, targets: [{ ...nodes, ids: ['i-a', 'i-b', 'i-c'] }] },
      together(...at('i-b', 'i-c')),
      at('i-v', 'i-x'),
      { ended: at('i-u') },
    ],
    [
      'goes when it has ended, though nothing else serves, and there is no room',
      one,
      withoutRoom(...at('i-a')),
      [],
      { ended: at('i-x') },
    ],
    [
      'stays though it has ended when AWS has refused all that is wanted',
      leaving,
      refused(...at('i-a', 'i-b')),
      at('i-x', 'i-y'),
      { ended: at('i-x') },
    ],
    [
      'goes but for half where there is no room at another port',
      moved,
      withoutRoom(...to81('i-a', 'i-b')),
      at('i-a', 'i-b'),
    ],
  ])('%s', (_, decided, registering, want, surroundings = {}) => {
    const all = { failed: [], reasons: [], unsettled: [], withoutRoom: [], ...registering };
    expect(heldBack(decided, all, { unhealthy: [], draining: 0, ended: [], ...surroundings })).toEqual(want);
  });
});
