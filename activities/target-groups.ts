import type { TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import { Context } from '@temporalio/activity';
import type { ELBv2Reads } from '../clients/elbv2.ts';
import { inBatches } from '../clients/in-batches.ts';
import { AWS_TARGET_GROUP, CELL } from '../clients/kinds.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import type { Cell } from '../crds/cell.ts';
import { checkTargetGroups, stays, type TargetGroupReport } from '../domain/discovery/target-group-check.ts';
import type { TargetGroupAnswer } from '../domain/discovery/target-group-verdict.ts';
import type { TargetGroupActivities } from './contract.ts';
import { reasonOf, toFailure } from './failure.ts';
import { statusReporter } from './status-reporter.ts';

/** What the check of AWSTargetGroups is made of. */
export interface TargetGroupDependencies {
  readonly kubernetes: KubernetesClient;
  readonly elbv2: (arn: string) => Pick<ELBv2Reads, 'targetGroups'>;
}

const WRITES_AT_ONCE = 8;
const SECONDS_UNTIL_ASKED_AGAIN = 10;

/** Makes the check of AWSTargetGroups. */
export function targetGroupActivities({ kubernetes, elbv2 }: TargetGroupDependencies): TargetGroupActivities {
  const report = statusReporter(kubernetes);

  /** Writes the reports, a few at a time; one that cannot be written holds up no other. */
  async function write(namespace: string, reports: readonly TargetGroupReport[]): Promise<void> {
    const failures: unknown[] = [];
    await inBatches(reports, WRITES_AT_ONCE, async ({ name, uid, status }) => {
      try {
        await report(AWS_TARGET_GROUP, { key: { namespace, name }, uid }, status, []);
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
  }

  return {
    async checkTargetGroups(namespace) {
      const { cancellationSignal: signal } = Context.current();
      const [groups, cells] = await Promise.all([
        kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace, signal }),
        kubernetes.list<Cell>(CELL, { namespace, signal }),
      ]);
      const left = groups.filter(stays);
      if (left.length === 0) return { isPresent: false, message: 'There is no AWSTargetGroup left.' };
      const answers = await ask(elbv2, [...new Set(left.map(({ spec }) => spec.arn))], signal);
      const time = new Date().toISOString();
      await write(namespace, checkTargetGroups({ groups: left, cells, answers, time }));
      return summary(answers);
    },
  };
}

/** Asks AWS about every ARN, those of each region and account together; one that cannot be asked stops no other. */
async function ask(
  elbv2: TargetGroupDependencies['elbv2'],
  arns: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TargetGroupAnswer>> {
  const answers = await Promise.all(
    [...Map.groupBy(arns, placeOf).values()].map((some) => askPlace(elbv2, some, signal)),
  );
  return new Map(answers.flat());
}

/** The partition, region and account of an ARN: `arn:partition:service:region:account:resource`. */
const placeOf = (arn: string): string => arn.split(':').slice(0, 5).join(':');

async function askPlace(
  elbv2: TargetGroupDependencies['elbv2'],
  arns: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly [string, TargetGroupAnswer])[]> {
  try {
    const found = await elbv2(arns[0] ?? '').targetGroups(arns, signal);
    const byARN = new Map(found.map((group) => [group.TargetGroupArn, group]));
    return arns.map((arn) => [arn, answerOf(byARN.get(arn))]);
  } catch (error) {
    signal.throwIfAborted();
    const cause = toFailure(error);
    const reason = reasonOf(cause);
    return arns.map((arn) => [arn, { is: 'Unasked', reason, message: cause.message }]);
  }
}

function answerOf(group: TargetGroup | undefined): TargetGroupAnswer {
  if (group === undefined) return { is: 'NotFound' };
  return {
    is: 'Known',
    loadBalancerARNs: group.LoadBalancerArns ?? [],
    protocol: group.Protocol,
    targetType: group.TargetType,
    vpcID: group.VpcId,
  };
}

function summary(answers: ReadonlyMap<string, TargetGroupAnswer>) {
  const unasked = [...answers.values()].filter((answer) => answer.is === 'Unasked');
  const asked = `AWS was asked about ${answers.size - unasked.length} of ${answers.size} target groups.`;
  const [first] = unasked;
  if (first === undefined) return { isPresent: true, message: asked };
  return {
    isPresent: true,
    message: `${asked} The conditions of the others stay: ${first.message}`,
    againInSeconds: SECONDS_UNTIL_ASKED_AGAIN,
  };
}
