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
  type TargetGroupReport,
} from '../../../domain/discovery/target-group/target-group-check.ts';
import { given } from '../../../domain/model/fields.ts';
import { namedARN } from '../../../domain/model/target-group.ts';
import type { TargetGroupAnswer } from '../../../domain/discovery/target-group/target-group-verdict.ts';
import type { TargetGroupActivities } from '../../contract.ts';
import { startLifetime, type Lifetime } from '../lifetime.ts';
import { createStatusReporter } from '../../kubernetes/status-reporter.ts';
import { askTargetGroups, type TargetGroupReads } from './target-group-answers.ts';

/** What the check of AWSTargetGroups is made of. */
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
    reports: readonly TargetGroupReport[],
    life: Lifetime,
  ): Promise<void> {
    const failures: unknown[] = [];
    await inBatches(reports, WRITES_AT_ONCE, async ({ name, uid, resourceVersion, status }) => {
      try {
        // Cells go by the version in it, which a later check may have read again; what has changed is checked again.
        life.assert();
        const about = { key: { namespace, name }, uid, resourceVersion, signal: life.signal };
        await report(AWS_TARGET_GROUP, about, status, []);
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

/** The target groups of which a namespace may not even learn whether there are any. */
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
  const asked = `AWS was asked about ${answers.size - unasked.length - refused.length} of ${answers.size} target groups.`;
  const said = [
    asked,
    ...unasked.slice(0, 1).map(({ message }) => `The conditions of the others stay: ${message}`),
    ...untagged
      .slice(0, 1)
      .map(({ message }) => `What is known of the tags of ${untagged.length} stays: ${message}`),
  ];
  return {
    isPresent: true,
    message: said.join(' '),
    ...(said.length === 1 ? {} : { againInSeconds: SECONDS_UNTIL_ASKED_AGAIN }),
  };
}
