import type { TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2Reads } from '../../../clients/aws/elbv2-calls.ts';
import type {
  TagsAnswer,
  TargetGroupAnswer,
} from '../../../domain/discovery/target-group/target-group-verdict.ts';
import { reasonOf, toFailure } from '../../failure.ts';

/** What is asked of AWS about target groups. */
export type TargetGroupReads = Pick<ELBv2Reads, 'targetGroups' | 'tagsOfGroups'>;

/** Asks AWS about every ARN, those of each region and account together; one that cannot be asked stops no other. */
export async function askTargetGroups(
  elbv2: (arn: string) => TargetGroupReads,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TargetGroupAnswer>> {
  const answers = await Promise.all(
    [...Map.groupBy(arns, placeOf).values()].map((some) => askPlace(elbv2(some[0] ?? ''), some, signal)),
  );
  return new Map(answers.flat());
}

/** The partition, region and account of an ARN: `arn:partition:service:region:account:resource`. */
const placeOf = (arn: string): string => arn.split(':').slice(0, 5).join(':');

// API_DescribeTags takes no more.
const TAGS_PER_CALL = 20;

async function askPlace(
  reads: TargetGroupReads,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly [string, TargetGroupAnswer])[]> {
  const found = await attempt(signal, () => reads.targetGroups(arns, signal));
  if (found.is === 'Unasked') return arns.map((arn) => [arn, found]);
  const byARN = new Map(found.value.map((group) => [group.TargetGroupArn, group]));
  const tags = await askTags(
    reads,
    arns.filter((arn) => byARN.has(arn)),
    signal,
  );
  return arns.map((arn) => [arn, answerOf(byARN.get(arn), tags.get(arn))]);
}

/** Asks for the tags of target groups; a call that fails leaves the others to be made. */
async function askTags(
  reads: TargetGroupReads,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TagsAnswer>> {
  const answers = new Map<string, TagsAnswer>();
  for (let begin = 0; begin < arns.length; begin += TAGS_PER_CALL) {
    const some = arns.slice(begin, begin + TAGS_PER_CALL);
    const found = await attempt(signal, () => reads.tagsOfGroups(some, signal));
    for (const arn of some) answers.set(arn, tagsIn(found, arn));
  }
  return answers;
}

function tagsIn(found: Attempted<ReadonlyMap<string, Tags>>, arn: string): TagsAnswer {
  if (found.is === 'Unasked') return found;
  const tags = found.value.get(arn);
  if (tags !== undefined) return { is: 'Known', tags };
  // An answer that lacks it must not pass for one without tags.
  const message = `Expected AWS to say the tags of ${arn}, got an answer without them.`;
  return { is: 'Unasked', reason: 'Unavailable', message };
}

type Tags = Readonly<Record<string, string>>;

/** What AWS answered, or why it could not be asked. */
type Attempted<Value> =
  | { readonly is: 'Answered'; readonly value: Value }
  | { readonly is: 'Unasked'; readonly reason: string; readonly message: string };

async function attempt<Value>(signal: AbortSignal, call: () => Promise<Value>): Promise<Attempted<Value>> {
  try {
    return { is: 'Answered', value: await call() };
  } catch (error) {
    signal.throwIfAborted();
    const cause = toFailure(error);
    return { is: 'Unasked', reason: reasonOf(cause), message: cause.message };
  }
}

function answerOf(group: TargetGroup | undefined, tags: TagsAnswer | undefined): TargetGroupAnswer {
  if (group === undefined || tags === undefined) return { is: 'NotFound' };
  return {
    is: 'Known',
    loadBalancerARNs: group.LoadBalancerArns ?? [],
    protocol: group.Protocol,
    targetType: group.TargetType,
    vpcID: group.VpcId,
    tags,
  };
}
