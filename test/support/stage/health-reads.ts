import type { CallRecord } from '../../../local/elbv2-proxy/control.ts';
import type { Stage } from './stage.ts';

/** For how long okrad takes what it has read of targets for what is so, in milliseconds, with some room for when it began. */
const READ_AGAIN_AFTER_MS = 1_800;

/**
 * The groups whose health was read, by the write that came next; the last are those after all writes. What was read
 * once more because a slow machine had let it get old counts once.
 */
export function healthReads({ arns }: Stage, calls: readonly CallRecord[]): readonly (readonly string[])[] {
  const reads: string[][] = [[]];
  let readAt = new Map<string, number>();
  for (const { action, parameters, startedAt } of calls.toSorted((a, b) => a.seq - b.seq)) {
    if (/^Modify(Rule|Listener)$/.test(action)) {
      reads.push([]);
      readAt = new Map();
    }
    if (action !== 'DescribeTargetHealth') continue;
    const name =
      [...arns].find(([, arn]) => arn === parameters['TargetGroupArn'])?.[0] ?? 'a group of others';
    const before = readAt.get(name);
    readAt.set(name, startedAt);
    if (before === undefined || startedAt - before < READ_AGAIN_AFTER_MS) reads.at(-1)?.push(name);
  }
  return reads.map((some) => some.toSorted());
}
