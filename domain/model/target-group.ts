import { fieldsIn, textIn } from './fields.ts';

/** A target group of a Cell, as an AWSTargetGroup object names it. */
export interface TargetGroup {
  readonly name: string;
  readonly arn: string;
}

/** An AWSTargetGroup that a Cell selects, with the version its labels claim. */
export interface SelectedTargetGroup extends TargetGroup {
  /** The value of the version label, unchecked; undefined when no label is there. */
  readonly version?: string;
  /** Why the Cell may not use it; undefined when it may. */
  readonly refusal?: string;
}

/** A target group in a rule that is served. */
export interface WeightedTargetGroup extends TargetGroup {
  readonly weight: number;
}

/** The ARN that an AWSTargetGroup names; undefined for one of a form that no schema allows, which names none and must not stop the others. */
export const namedARN = ({ spec }: { readonly spec: unknown }): string | undefined =>
  textIn(fieldsIn(spec)['arn']);

/** What CloudWatch calls a target group: `targetgroup/NAME/ID`. */
export const targetGroupFullName = (arn: string): string => arn.split(':').slice(5).join(':');

/** What CloudWatch calls the load balancer of a listener: `app/NAME/ID` or `net/NAME/ID`. */
export const loadBalancerFullName = (listenerARN: string): string =>
  listenerARN.split(':').slice(5).join(':').split('/').slice(1, 4).join('/');

/** Whether a text is the ARN of a target group. */
export const isTargetGroupARN = (text: string): boolean =>
  /^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:[0-9]{12}:targetgroup\/[A-Za-z0-9-]{1,32}\/[0-9a-z]{1,64}$/.test(
    text,
  );
