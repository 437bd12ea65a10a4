import type { ObjectKey } from '../domain/model/ids.ts';

/** Who approves a step of a Cell. */
export interface ApprovalReview {
  readonly key: ObjectKey;
  readonly by: string;
  readonly groups: readonly string[];
}

/** What a step that takes approvals needs of the Kubernetes API. */
export interface ApprovalActivities {
  /** Asks Kubernetes whether someone may approve the steps of a Cell (SubjectAccessReview). */
  reviewApproval(review: ApprovalReview): Promise<{ readonly allowed: boolean }>;
}
