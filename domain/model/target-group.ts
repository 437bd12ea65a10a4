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
