import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { TargetStickiness } from './attempt.ts';
import { inCommon, readStickiness, writeStickiness } from './target-stickiness.ts';

const minute: TargetStickiness = { type: 'lb_cookie', durationSeconds: 60 };
const session: TargetStickiness = { type: 'app_cookie', durationSeconds: 60, cookieName: 'session' };

/** Target groups with their attributes; every other one is not found. */
function aGroup(attributes: Record<string, string>): Pick<ELBv2, 'attributesOf' | 'setAttributes'> {
  const missing = (): Promise<never> => {
    const error = new Error('not found');
    error.name = 'TargetGroupNotFoundException';
    return Promise.reject(error);
  };
  return {
    attributesOf: (arn) => (arn === 'arn' ? Promise.resolve({ ...attributes }) : missing()),
    setAttributes: (arn, some) => {
      if (arn !== 'arn') return missing();
      Object.assign(attributes, some);
      return Promise.resolve();
    },
  };
}
const { signal } = new AbortController();
const permit = (): Promise<void> => Promise.resolve();

describe('how target groups keep clients', () => {
  it.each<
    [string, (TargetStickiness | undefined)[], TargetStickiness | undefined, TargetStickiness | undefined]
  >([
    ['is what is wanted when all do that', [minute, minute], minute, minute],
    ['is not what is wanted while one lacks it', [minute, undefined], minute, undefined],
    ['is what one does otherwise', [minute, session], minute, session],
    ['is nothing when that is wanted and all do that', [undefined, undefined], undefined, undefined],
    ['is what one still does when nothing is wanted', [undefined, minute], undefined, minute],
    ['is what is wanted when there is no group', [], minute, minute],
  ])('%s', (_, found, wanted, want) =>
    expect(inCommon(new Map(found.map((one, index) => [`${index}`, one])), wanted)).toEqual(want),
  );

  it.each<[string, TargetStickiness | undefined]>([
    ['a cookie of the load balancer', minute],
    ['a cookie of the application', session],
    ['nothing', undefined],
  ])('is read as it was written: %s', async (_, wanted) => {
    const elbv2 = aGroup({ 'stickiness.enabled': 'true' }) as ELBv2;
    await writeStickiness(elbv2, { permit }, ['arn'], wanted);
    expect((await readStickiness(elbv2, ['arn'], signal)).get('arn')).toEqual(wanted);
  });

  it('leaves the other attributes alone when it is turned off', async () => {
    const attributes = { 'deregistration_delay.timeout_seconds': '300' };
    await writeStickiness(aGroup(attributes) as ELBv2, { permit }, ['arn'], undefined);
    expect(attributes).toEqual({
      'deregistration_delay.timeout_seconds': '300',
      'stickiness.enabled': 'false',
    });
  });

  it('needs no turning off where the group is gone', async () => {
    await writeStickiness(aGroup({}) as ELBv2, { permit }, ['gone'], undefined);
    expect((await readStickiness(aGroup({}) as ELBv2, ['gone'], signal)).get('gone')).toBeUndefined();
  });

  it('cannot be turned on where the group is gone', async () => {
    await expect(writeStickiness(aGroup({}) as ELBv2, { permit }, ['gone'], minute)).rejects.toThrow(
      'not found',
    );
  });
});
