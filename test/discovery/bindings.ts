import { AWS_TARGET_GROUP_BINDING } from '../../clients/kubernetes/kinds.ts';
import type {
  AWSTargetGroupBinding,
  AWSTargetGroupBindingStatus,
} from '../../crds/aws-target-group-binding.ts';
import { createTargetGroup } from '../../local/aws-fixture.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

/** A target that a test asks for. */
export type AskedTarget = Readonly<Record<string, unknown>>;

/** What tests do with the AWSTargetGroupBindings of a stage, and see of them. */
export interface Bindings {
  /** Creates a target group with targets of someone else. */
  group(name: string, targetType: 'ip' | 'instance', foreign?: readonly string[]): Promise<string>;
  apply(name: string, targetGroupARN: string, targets: readonly AskedTarget[]): Promise<void>;
  applySpec(name: string, spec: object): Promise<void>;
  status(name: string): Promise<AWSTargetGroupBindingStatus>;
  untilStatus(
    name: string,
    what: string,
    holds: (status: AWSTargetGroupBindingStatus) => boolean,
  ): Promise<AWSTargetGroupBindingStatus>;
  untilSynced(name: string): Promise<AWSTargetGroupBindingStatus>;
  untilProblem(name: string, reason: string): Promise<AWSTargetGroupBindingStatus>;
  /** What is registered in a target group, as AWS says. */
  registered(arn: string): Promise<readonly string[]>;
  untilRegistered(arn: string, targets: readonly string[]): Promise<void>;
  untilGone(name: string): Promise<void>;
}

/** Makes them. */
export function bindingsOf(stage: Stage): Bindings {
  const { namespace, kubernetes, elbv2 } = stage;
  const find = (name: string): Promise<AWSTargetGroupBinding | undefined> =>
    kubernetes.get(AWS_TARGET_GROUP_BINDING, { namespace, name });
  const status: Bindings['status'] = async (name) => (await find(name))?.status ?? {};
  const applySpec: Bindings['applySpec'] = (name, spec) =>
    stage.apply({
      apiVersion: AWS_TARGET_GROUP_BINDING.apiVersion,
      kind: AWS_TARGET_GROUP_BINDING.kind,
      metadata: { name },
      spec,
    });
  const untilStatus: Bindings['untilStatus'] = (name, what, holds) =>
    until(
      `AWSTargetGroupBinding ${name} to be ${what}`,
      async () => {
        const object = await find(name);
        const found = object?.status;
        // What stands there may be about the spec before.
        if (found === undefined || found.observedGeneration !== object?.metadata.generation) return undefined;
        return holds(found) && found;
      },
      { seen: () => status(name) },
    );
  const registered: Bindings['registered'] = async (arn) => {
    const { TargetHealthDescriptions = [] } = await elbv2.describeTargetHealth({ TargetGroupArn: arn });
    return TargetHealthDescriptions.map(({ Target }) => `${Target?.Id}:${Target?.Port}`).toSorted();
  };
  return {
    group: async (name, targetType, foreign = []) => {
      const inAWS = `${namespace.slice(-16)}-${name}`.replace(/^-+/, '');
      const { arn } = await createTargetGroup(elbv2, inAWS, { targetType, targets: foreign });
      stage.arns.set(name, arn);
      return arn;
    },
    apply: (name, targetGroupARN, targets) => applySpec(name, { targetGroupARN, targets }),
    applySpec,
    status,
    untilStatus,
    untilSynced: (name) => untilStatus(name, 'synced', ({ phase }) => phase === 'Synced'),
    untilProblem: (name, reason) =>
      untilStatus(name, `told of ${reason}`, ({ problems = [] }) =>
        problems.some((one) => one.reason === reason),
      ),
    registered,
    untilRegistered: async (arn, targets) => {
      const want = JSON.stringify(targets.toSorted());
      await until(
        `${arn} to have ${want}`,
        async () => JSON.stringify(await registered(arn)) === want && true,
        { seen: () => registered(arn) },
      );
    },
    untilGone: async (name) =>
      void (await until(
        `AWSTargetGroupBinding ${name} to go`,
        async () => (await find(name)) === undefined && true,
        {
          seen: () => status(name),
        },
      )),
  };
}
