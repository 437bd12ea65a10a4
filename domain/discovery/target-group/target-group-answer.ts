/** What AWS answered about an ARN. */
export type TargetGroupAnswer =
  | ({ readonly is: 'Known' } & TargetGroupFacts)
  | { readonly is: 'NotFound' }
  /** AWS was not asked, because the namespace may not use the target group. */
  | { readonly is: 'NotAllowed'; readonly message: string }
  /** AWS could not be asked: it throttled, refused, or did not answer. */
  | { readonly is: 'Unasked'; readonly reason: string; readonly message: string };

/** What AWS says of a target group that it knows. */
export interface TargetGroupFacts {
  /** The load balancers that forward to it; AWS allows for one. */
  readonly loadBalancerARNs: readonly string[];
  /** `HTTP`, `TCP` and so on; undefined with a Lambda function. */
  readonly protocol?: string | undefined;
  /** `instance`, `ip`, `lambda` or `alb`. */
  readonly targetType?: string | undefined;
  readonly vpcID?: string | undefined;
  readonly tags: TagsAnswer;
}

/** What AWS answered about the tags of a target group. */
export type TagsAnswer =
  | { readonly is: 'Known'; readonly tags: Readonly<Record<string, string>> }
  /** AWS could not be asked: it throttled, refused, or did not answer. */
  | { readonly is: 'Unasked'; readonly reason: string; readonly message: string };
