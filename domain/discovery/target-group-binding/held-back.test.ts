import { describe, expect, it } from 'vitest';
import { holdBack, type WrittenTargets } from './target-group-binding.ts';

const nodes = { name: 'nodes', port: 80, ids: ['i-a', 'i-b'] };
const three = { ...nodes, ids: ['i-a', 'i-b', 'i-c'] };
const at = (...ids: string[]) => ids.map((id) => ({ id, port: 80 }));
const two = { targets: [nodes], deregister: at('i-x', 'i-y') };
const four = { targets: [three], deregister: at('i-u', 'i-v', 'i-x', 'i-y') };
const one = { targets: [{ ...nodes, ids: ['i-a'] }], deregister: at('i-x') };

type Targets = WrittenTargets['refused'];
const problem = (reason: string) => [{ reason, message: 'no' }];
const refused = (...some: Targets) => ({ refused: some, problems: problem('InvalidTarget') });
const together = (...some: Targets) => ({ ...refused(...some), unsettled: some });
const withoutRoom = (...some: Targets) => ({
  refused: some,
  problems: problem('TooManyTargets'),
  withoutRoom: some,
});

describe('what should be deregistered', () => {
  it.each<[string, Parameters<typeof holdBack>[0], Partial<WrittenTargets>, Targets, Targets?]>([
    ['goes when all was registered', two, {}, []],
    ['goes when AWS refused one of several by itself', two, refused(...at('i-b')), []],
    ['stays when AWS refused all that is wanted', two, refused(...at('i-a', 'i-b')), at('i-x', 'i-y')],
    [
      'stays when registering was not allowed, throttled, or not answered',
      two,
      { unknown: at('i-b'), problems: problem('AccessDenied') },
      at('i-x', 'i-y'),
    ],
    ['stays as far as AWS refused others together', four, together(...at('i-b', 'i-c')), at('i-u', 'i-v')],
    ['goes if unhealthy', four, together(...at('i-b', 'i-c')), at('i-v', 'i-x'), at('i-u')],
    [
      'goes but for half when there is no room for any other',
      two,
      withoutRoom(...at('i-a', 'i-b')),
      at('i-x'),
    ],
    ['goes when there is no room for the last', two, withoutRoom(...at('i-b')), []],
    ['stays when it is the only one that serves', one, withoutRoom(...at('i-a')), at('i-x')],
    ['goes when it is the only one, and unhealthy', one, withoutRoom(...at('i-a')), [], at('i-x')],
  ])('%s', (_, decided, registering, want, unhealthy = []) => {
    const all = { refused: [], unknown: [], problems: [], unsettled: [], withoutRoom: [], ...registering };
    expect(holdBack(decided, all, unhealthy)).toEqual(want);
  });
});
