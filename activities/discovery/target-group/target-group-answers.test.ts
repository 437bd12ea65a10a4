import type { TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { askTargetGroups, type TargetGroupReads } from './target-groups.ts';

const arnOf = (name: string, region = 'eu-central-1'): string =>
  `arn:aws:elasticloadbalancing:${region}:111122223333:targetgroup/${name}/4567`;
const { signal } = new AbortController();

/** An ELBv2 that knows all target groups but those that are `gone`, and whose tags say its name. */
function anELBv2(refuses: (arns: readonly string[]) => boolean = () => false) {
  const asked: (readonly string[])[] = [];
  const reads: TargetGroupReads = {
    targetGroups: (arns) =>
      Promise.resolve(
        arns
          .filter((arn) => !arn.includes('gone'))
          .map((TargetGroupArn): TargetGroup => ({ TargetGroupArn, Protocol: 'HTTP' })),
      ),
    tagsOfGroups: (arns) => {
      asked.push(arns);
      if (refuses(arns))
        return Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'Throttling' }));
      const told = arns.filter((arn) => !arn.includes('untold'));
      return Promise.resolve(new Map(told.map((arn) => [arn, { name: arn }])));
    },
  };
  return { asked, elbv2: () => reads };
}
const tagsOf = async (of: ReturnType<typeof anELBv2>, arns: readonly string[]) => {
  const answers = await askTargetGroups(of.elbv2, arns, signal);
  return arns.map((arn) => {
    const answer = answers.get(arn);
    return answer?.is === 'Known' ? answer.tags.is : answer?.is;
  });
};
const names = Array.from({ length: 45 }, (_, index) => arnOf(`g${index}`));

describe('the tags of target groups', () => {
  it('are asked for twenty at a time', async () => {
    const aws = anELBv2();
    expect(new Set(await tagsOf(aws, names))).toEqual(new Set(['Known']));
    expect(aws.asked.map((arns) => arns.length)).toEqual([20, 20, 5]);
  });

  it('are asked for where AWS knows the target group', async () => {
    const aws = anELBv2();
    expect(await tagsOf(aws, [arnOf('a'), arnOf('gone')])).toEqual(['Known', 'NotFound']);
    expect(aws.asked).toEqual([[arnOf('a')]]);
  });

  it('that cannot be asked for hold up no others', async () => {
    const aws = anELBv2((arns) => arns.includes(names[0] ?? ''));
    const found = await tagsOf(aws, names);
    expect(found.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'Unasked'));
    expect(found.slice(20)).toEqual(Array.from({ length: 25 }, () => 'Known'));
  });

  it('of another region are asked for there', async () => {
    const aws = anELBv2();
    await tagsOf(aws, [arnOf('a'), arnOf('b', 'eu-west-1')]);
    expect(aws.asked).toHaveLength(2);
  });

  it('that an answer leaves out were not asked for', async () => {
    expect(await tagsOf(anELBv2(), [arnOf('untold')])).toEqual(['Unasked']);
  });
});
