import { describe, expect, it } from 'vitest';
import { createFaults, matches } from './faults.ts';
import { faultSchema, type FaultInput } from './switches.ts';
import { createBuckets } from './throttle.ts';

const call = {
  action: 'ModifyRule',
  parameters: { RuleArn: 'arn:rule/app/test1/x', Actions: [{ Weight: '80' }] },
};

function armed(...inputs: readonly FaultInput[]) {
  const faults = createFaults(createBuckets());
  for (const input of inputs) faults.add(faultSchema.parse(input));
  return {
    faults,
    take: (when: 'before' | 'after' = 'before', now = 0) =>
      faults.take(call, when, now).map((one) => one.kind),
  };
}

describe('matches', () => {
  it.each([
    [{}, true],
    [{ action: 'ModifyRule' }, true],
    [{ action: ['CreateRule', 'ModifyRule'] }, true],
    [{ action: 'CreateRule' }, false],
    [{ contains: 'app/test1/' }, true],
    [{ contains: '80' }, true],
    [{ contains: 'app/test2/' }, false],
    [{ action: 'ModifyRule', contains: 'app/test2/' }, false],
  ])('judges %j', (match, want) => {
    expect(matches(faultSchema.parse({ kind: 'drop', match }), call)).toBe(want);
  });
});

describe('faults', () => {
  it('hit the next call alone unless told otherwise', () => {
    const { take, faults } = armed({ kind: 'error' });
    expect([take(), take(), faults.list()]).toEqual([['error'], [], []]);
  });

  it('hit as often as told, and for ever when told so', () => {
    const { take } = armed({ kind: 'error', times: 2 });
    expect([take(), take(), take()]).toEqual([['error'], ['error'], []]);
    const { take: always } = armed({ kind: 'drop', times: 'always' });
    expect(Array.from({ length: 5 }, () => always().length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('leave calls alone that they are not meant for', () => {
    const { take, faults } = armed({ kind: 'error', match: { contains: 'app/test2/' } });
    expect([take(), faults.list().length]).toEqual([[], 1]);
  });

  it('come before or after, never both', () => {
    const { take } = armed({ kind: 'error', when: 'after' });
    expect([take('before'), take('after')]).toEqual([[], ['error']]);
  });

  it('add up as delays, while of the others one hits at a time', () => {
    const { take } = armed(
      { kind: 'delay', delayMs: 1 },
      { kind: 'error' },
      { kind: 'drop' },
      { kind: 'delay', delayMs: 2 },
    );
    expect([take(), take()]).toEqual([['delay', 'error', 'delay'], ['drop']]);
  });

  it('let things take their time whatever else hits', () => {
    const { take } = armed(
      { kind: 'unseen', forMs: 1, times: 'always' },
      { kind: 'error' },
      { kind: 'draining', forMs: 1, times: 'always' },
    );
    expect([take(), take()]).toEqual([
      ['unseen', 'error', 'draining'],
      ['unseen', 'draining'],
    ]);
  });

  it('throttle by a bucket of their own', () => {
    const { take } = armed({ kind: 'throttle', times: 'always', bucket: { burst: 2, perSecond: 1 } });
    expect([take(), take(), take(), take('before', 1000), take('before', 1000)]).toEqual([
      [],
      [],
      ['throttle'],
      [],
      ['throttle'],
    ]);
  });

  it('can be taken away', () => {
    const { faults, take } = armed({ kind: 'error' });
    const [fault] = faults.list();
    expect([faults.remove(fault?.id ?? ''), faults.remove('fault-9'), take()]).toEqual([true, false, []]);
  });
});
