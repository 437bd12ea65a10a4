import { describe, expect, it } from 'vitest';
import { boundTargetGroup, equalitiesIn } from './resolve.ts';

const binding = (svc: string, arn?: string, isDeleting = false) => ({ labels: { svc }, arn, isDeleting });

describe('the target group that a TargetGroupBinding names', () => {
  it.each([
    [
      'is that of the one with the label',
      [binding('web', 'arn:a'), binding('api', 'arn:b')],
      { ok: true, arn: 'arn:a' },
    ],
    [
      'is one when several name the same',
      [binding('web', 'arn:a'), binding('web', 'arn:a')],
      { ok: true, arn: 'arn:a' },
    ],
    [
      'is none without a binding',
      [binding('api', 'arn:b')],
      { ok: false, message: expect.stringContaining('it has none') as string },
    ],
    [
      'is none of one that is being deleted',
      [binding('web', 'arn:a', true)],
      { ok: false, message: expect.stringContaining('it has none') as string },
    ],
    [
      'is none without an ARN',
      [binding('web')],
      { ok: false, message: expect.stringContaining('without the ARN') as string },
    ],
    [
      'is not chosen among several',
      [binding('web', 'arn:a'), binding('web', 'arn:b')],
      { ok: false, message: expect.stringContaining('2 target groups') as string },
    ],
  ])('%s', (_, bindings, want) => expect(boundTargetGroup('c1', 'svc=web', bindings)).toEqual(want));

  it('is selected by several labels', () => {
    expect(equalitiesIn('svc=web,tier=front')).toEqual({ svc: 'web', tier: 'front' });
  });
});
