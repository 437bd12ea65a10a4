import { kindOf, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { DEPLOYMENT } from '../kubestellar/kubestellar.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';

/** The policy by which a test has the API server refuse writes. */
export const VALIDATING_ADMISSION_POLICY: KindRef = {
  apiVersion: ADMISSION,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
};

/** What puts such a policy into force. */
export const VALIDATING_ADMISSION_POLICY_BINDING: KindRef = {
  apiVersion: ADMISSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
};

/** What only tests and demos write, so that Okra does not know it. */
const written: readonly KindRef[] = [
  DEPLOYMENT,
  VALIDATING_ADMISSION_POLICY,
  VALIDATING_ADMISSION_POLICY_BINDING,
  { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
  { apiVersion: RBAC, kind: 'Role', plural: 'roles', namespaced: true },
  { apiVersion: RBAC, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true },
];

/** Finds the kind of an object among those that Okra knows, and those that tests and demos write besides; undefined: it is none of them. */
export function knownKind(object: Pick<KindRef, 'apiVersion' | 'kind'>): KindRef | undefined {
  const found = written.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (found !== undefined) return found;
  try {
    return kindOf(object);
  } catch {
    return undefined;
  }
}
