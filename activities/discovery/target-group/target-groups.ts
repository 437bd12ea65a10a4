import { inBatches } from '../../../clients/concurrency.ts';
import { AWS_TARGET_GROUP, CELL } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { AWSTargetGroup } from '../../../crds/aws-target-group.ts';
import { refusalOf, type Access } from '../../../domain/access/access.ts';
import {
  checkTargetGroups,
  stays,
  type SelectingCell,
  type TargetGroupAnswer,
  type TagsAnswer,
} from '../../../domain/discovery/target-group/target-group-check.ts';
import { given } from '../../../domain/model/fields.ts';
import { namedARN } from '../../../domain/model/target-group.ts';
import type { TargetGroupActivities } from '../../contract.ts';
import { startLifetime, type Lifetime } from '../lifetime.ts';
import { createStatusReporter } from '../../kubernetes/status-reporter.ts';
import type { TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2Reads } from '../../../clients/aws/elbv2-reads.ts';
import { attempted, type Attempted } from '../../failure.ts';

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
  const found = await attempted(signal, () => reads.targetGroups(arns, signal));
  if (found.is === 'Unasked') return arns.map((arn) => [arn, found]);
  const answers = new Map<string, TargetGroupAnswer>(arns.map((arn) => [arn, { is: 'NotFound' }]));
  for (let begin = 0; begin < found.value.length; begin += TAGS_PER_CALL) {
    const some = found.value.slice(begin, begin + TAGS_PER_CALL);
    // A call that fails leaves the others to be made.
    const tags = await attempted(signal, () => reads.tagsOfGroups(some.map(arnOf), signal));
    for (const group of some) answers.set(arnOf(group), answerOf(group, tagsIn(tags, arnOf(group))));
  }
  return [...answers];
}

const arnOf = ({ TargetGroupArn = '' }: TargetGroup): string => TargetGroupArn;

function tagsIn(found: Attempted<ReadonlyMap<string, Tags>>, arn: string): TagsAnswer {
  if (found.is === 'Unasked') return found;
  const tags = found.value.get(arn);
  if (tags !== undefined) return { is: 'Known', tags };
  // An answer that lacks it must not pass for one without tags.
  const message = `AWS did not return the tags of ${arn}.`;
  return { is: 'Unasked', reason: 'Unavailable', message };
}

type Tags = Readonly<Record<string, string>>;

const answerOf = (group: TargetGroup, tags: TagsAnswer): TargetGroupAnswer => ({
  is: 'Known',
  loadBalancerARNs: group.LoadBalancerArns ?? [],
  protocol: group.Protocol,
  targetType: group.TargetType,
  vpcID: group.VpcId,
  tags,
});

interface TargetGroupDependencies {
  readonly kubernetes: KubernetesClient;
  readonly elbv2: (arn: string) => TargetGroupReads;
}

const WRITES_AT_ONCE = 8;
const SECONDS_UNTIL_ASKED_AGAIN = 10;

/** Makes the check of AWSTargetGroups. */
export function targetGroupActivities({ kubernetes, elbv2 }: TargetGroupDependencies): TargetGroupActivities {
  const report = createStatusReporter(kubernetes);

  /** Writes the reports, a few at a time; one that cannot be written holds up no other. */
  async function write(
    namespace: string,
    reports: ReturnType<typeof checkTargetGroups>,
    life: Lifetime,
  ): Promise<void> {
    const failures: unknown[] = [];
    await inBatches(reports, WRITES_AT_ONCE, async ({ name, uid, resourceVersion, status }) => {
      try {
        // Cells go by the version in it, which a later check may have read again; what has changed is checked again.
        life.assert();
        const about = { key: { namespace, name }, uid, resourceVersion, signal: life.signal };
        await report(AWS_TARGET_GROUP, about, status);
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
  }

  /** They are read last: AWS may take long to answer, and there may be thousands of them. */
  const cellsIn = async (namespace: string, signal: AbortSignal): Promise<readonly SelectingCell[]> =>
    (await kubernetes.snapshot<SelectingCell>(CELL, { namespace, signal, trim: selecting })).items;

  return {
    async checkTargetGroups(namespace) {
      const life = startLifetime();
      const { signal } = life;
      const [groups, access] = await Promise.all([
        kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace, signal }),
        accessPolicies(kubernetes).of(namespace, signal),
      ]);
      const left = groups.filter((group) => stays(group) && namedARN(group) !== undefined);
      if (left.length === 0) return { isPresent: false, message: 'There is no AWSTargetGroup left.' };
      const arns = [...new Set(left.map(({ spec }) => spec.arn))];
      const refused = refusedOf(access, arns);
      const asked = arns.filter((arn) => !refused.has(arn));
      const answers = new Map([...refused, ...(await askTargetGroups(elbv2, asked, signal))]);
      const cells = await cellsIn(namespace, signal);
      const time = new Date().toISOString();
      await write(namespace, checkTargetGroups({ groups: left, cells, answers, time }), life);
      return summary(answers);
    },
  };
}

const selecting = ({ metadata, spec }: SelectingCell): SelectingCell => {
  const { name, deletionTimestamp } = metadata;
  const { ingress, versionedBy } = spec;
  return { metadata: { name, ...given({ deletionTimestamp }) }, spec: given({ ingress, versionedBy }) };
};

const refusedOf = (
  access: Access | undefined,
  arns: readonly string[],
): ReadonlyMap<string, TargetGroupAnswer> =>
  new Map(
    arns.flatMap((arn) => {
      const message = refusalOf(access, { of: 'TargetGroup', arn });
      return message === undefined ? [] : [[arn, { is: 'NotAllowed', message }] as const];
    }),
  );

function summary(answers: ReadonlyMap<string, TargetGroupAnswer>) {
  const all = [...answers.values()];
  const unasked = all.filter((answer) => answer.is === 'Unasked');
  const refused = all.filter((answer) => answer.is === 'NotAllowed');
  const untagged = all.flatMap((answer) =>
    answer.is === 'Known' && answer.tags.is === 'Unasked' ? [answer.tags] : [],
  );
  const asked = `Looked up ${answers.size - unasked.length - refused.length} of ${answers.size} target groups in AWS.`;
  const said = [
    asked,
    ...unasked.slice(0, 1).map(({ message }) => `The conditions of the others are unchanged: ${message}`),
    ...untagged
      .slice(0, 1)
      .map(({ message }) => `The known tags of ${untagged.length} target groups are kept: ${message}`),
  ];
  return {
    isPresent: true,
    message: said.join(' '),
    ...(said.length === 1 ? {} : { againInSeconds: SECONDS_UNTIL_ASKED_AGAIN }),
  };
}
