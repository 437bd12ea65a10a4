import { currentOf, type Kubeconfig } from './kubeconfig.ts';
import { loadKubeconfig } from './kubeconfig-files.ts';
import { SELF_SUBJECT_ACCESS_REVIEW, SELF_SUBJECT_REVIEW, SUBJECT_ACCESS_REVIEW } from './kinds.ts';
import { kubeconfigDoor } from './kubernetes-door.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { makeSend } from './kubernetes-transport.ts';
import { clientOver, type KubernetesClient } from './kubernetes.ts';
import { OWN_CLUSTER } from './limits.ts';
import { tokenFileOf } from './service-account.ts';

/** Which cluster a person means, and as whom. */
export interface PersonOptions {
  /** Kubeconfig files as `KUBECONFIG` lists them; undefined: what is usual. */
  readonly kubeconfig?: string | undefined;
  /** The context of the kubeconfig; undefined: its current one. */
  readonly context?: string | undefined;
  /** Under which name fields are written; undefined: that of okractl. */
  readonly fieldManager?: string | undefined;
}

/** What is to be done to objects, as authorization in Kubernetes sees it. */
export interface Access {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly verb: string;
  /** Undefined: in all namespaces, or of a kind that has none. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** A service account, by its namespace and name. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** A cluster as a person reaches it by a kubeconfig. */
export interface Person {
  readonly kubernetes: KubernetesClient;
  /** The namespace of the context. */
  readonly namespace: string;
  /** Says by which name the API server knows the person. */
  readonly whoAmI: () => Promise<string>;
  /** Says whether the API server lets the person do something, or a service account. */
  readonly may: (access: Access, account?: ServiceAccount) => Promise<boolean>;
}

const FIELD_MANAGER = 'okractl';
const TIMEOUT_MILLISECONDS = 15_000;

/** Reaches the cluster that a person's kubeconfig names. */
export function connectAsPerson({
  kubeconfig,
  context,
  fieldManager = FIELD_MANAGER,
}: PersonOptions): Person {
  const usual = loadKubeconfig(kubeconfig);
  const loaded = context === undefined ? usual : inContext(usual, context);
  const send = makeSend(kubeconfigDoor(loaded), tokenFileOf(loaded));
  const kubernetes = clientOver(send, TIMEOUT_MILLISECONDS, OWN_CLUSTER, fieldManager);
  const current = currentOf(loaded);
  return {
    kubernetes,
    namespace: current.context?.namespace ?? 'default',
    whoAmI: () => whoAmI(kubernetes, current.user?.name),
    may: (access, account) => may(kubernetes, access, account),
  };
}

function inContext(kubeconfig: Kubeconfig, context: string): Kubeconfig {
  const names = kubeconfig.contexts.map(({ name }) => name);
  if (names.includes(context)) return { ...kubeconfig, currentContext: context };
  throw new TypeError(
    `Expected a context of the kubeconfig (${names.join(', ') || 'it has none'}), got ${JSON.stringify(context)}. Choose one of them with --context.`,
  );
}

interface Reviewed<Status> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
  readonly status?: Status;
}

/** Asks the API server; one that does not know the question, before Kubernetes 1.28, leaves the name in the kubeconfig. */
async function whoAmI(kubernetes: KubernetesClient, otherwise: string | undefined): Promise<string> {
  const review: Reviewed<{ readonly userInfo?: { readonly username?: string } }> = {
    apiVersion: SELF_SUBJECT_REVIEW.apiVersion,
    kind: SELF_SUBJECT_REVIEW.kind,
    // Nothing is kept of it, so that it bears no name.
    metadata: { name: '' },
  };
  try {
    const { status } = await kubernetes.create(review);
    return status?.userInfo?.username ?? otherwise ?? 'an operator';
  } catch (error) {
    const isUnknown = error instanceof KubernetesError && (error.status === 404 || error.status === 403);
    if (isUnknown) return otherwise === undefined ? 'an operator' : `${otherwise} (kubeconfig)`;
    throw error;
  }
}

async function may(kubernetes: KubernetesClient, access: Access, account?: ServiceAccount): Promise<boolean> {
  const { apiVersion, kind } = account === undefined ? SELF_SUBJECT_ACCESS_REVIEW : SUBJECT_ACCESS_REVIEW;
  const review: Reviewed<{ readonly allowed?: boolean }> = {
    apiVersion,
    kind,
    metadata: { name: '' },
    spec: { resourceAttributes: access, ...(account === undefined ? {} : subjectOf(account)) },
  };
  return (await kubernetes.create(review)).status?.allowed === true;
}

// The names by which the API server knows a service account.
const subjectOf = ({ namespace, name }: ServiceAccount): object => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
