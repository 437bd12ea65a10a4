import { CELL, groupOf, SUBJECT_ACCESS_REVIEW } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { verbOf } from '../../crds/request-names.ts';
import type { ApprovalActivities } from '../contract.ts';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

/** Makes the activity that asks Kubernetes about those who approve. */
export const approvalActivities = (kubernetes: Pick<KubernetesClient, 'create'>): ApprovalActivities => ({
  async reviewApproval({ key: { namespace, name }, by, groups }) {
    const { apiVersion, kind } = SUBJECT_ACCESS_REVIEW;
    const access = { group: groupOf(CELL), resource: CELL.plural, verb: verbOf('approve'), namespace, name };
    const review: Review = {
      apiVersion,
      kind,
      // Nothing is kept of it, so that it bears no name.
      metadata: { name: '' },
      spec: { user: by, groups, resourceAttributes: access },
    };
    const { status } = await kubernetes.create(review);
    return { allowed: status?.allowed === true && status.denied !== true };
  },
});
