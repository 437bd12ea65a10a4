import type { Duplex } from 'node:stream';
import { KubeConfig } from '@kubernetes/client-node';
import { openKubeconfig, loadKubeconfig } from './kubeconfig.ts';
import type { Endpoint } from './kubernetes-endpoint.ts';
import { SELF_SUBJECT_ACCESS_REVIEW, SELF_SUBJECT_REVIEW, SUBJECT_ACCESS_REVIEW } from './kinds.ts';
import { makeSend } from './kubernetes-transport.ts';
import { clientOver, type Identified, type KubernetesClient } from './kubernetes.ts';
import { forwardPort, type PodPort } from './port-forward.ts';

interface PersonOptions {
  /** Kubeconfig files as `KUBECONFIG` lists them; undefined: what is usual. */
  readonly kubeconfig?: string | undefined;
  /** The context of the kubeconfig; undefined: its current one. */
  readonly context?: string | undefined;
  /** Undefined: that of the context. */
  readonly namespace?: string | undefined;
  /** As whom, and with which groups, the API server takes the person; undefined: as the kubeconfig says. */
  readonly as?: string | undefined;
  readonly asGroups?: readonly string[];
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

/** A person as the API server knows them. */
export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}

/** A cluster as a person reaches it. */
export type Person = ReturnType<typeof personBy> & { readonly namespace: string };

/** A person by their own kubeconfig, with what leads to pods in their name. */
export type OwnPerson = ReturnType<typeof connectAsPerson>;

const FIELD_MANAGER = 'okractl';
const TIMEOUT_MILLISECONDS = 15_000;

/** Reaches the cluster that a person's kubeconfig names. */
export function connectAsPerson({
  kubeconfig,
  context,
  fieldManager = FIELD_MANAGER,
  ...options
}: PersonOptions) {
  const loaded = loadKubeconfig(kubeconfig);
  if (context !== undefined) chooseContext(loaded, context);
  const endpoint = impersonating(openKubeconfig(loaded), options);
  return {
    ...personBy(endpoint, fieldManager),
    namespace: options.namespace ?? loaded.getContextObject(loaded.currentContext)?.namespace ?? 'default',
    /** The token that they log in with; undefined where they do without, or act as another person. */
    bearerToken: () => bearerToken(endpoint),
    forward: (pod: PodPort): Promise<Duplex> => forwardPort(loaded, pod),
  };
}

/** Has the API server take each request as one of another person (https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/). */
function impersonating(endpoint: Endpoint, { as, asGroups = [] }: PersonOptions): Endpoint {
  if (as === undefined) return endpoint;
  const other = { 'Impersonate-User': as, 'Impersonate-Group': asGroups };
  const open = async () => {
    const { headers, dispatcher } = await endpoint.open();
    return { headers: { ...headers, ...other }, dispatcher };
  };
  return { ...endpoint, open };
}

async function bearerToken(endpoint: Endpoint): Promise<string | undefined> {
  const { headers } = await endpoint.open();
  // The token is that of the person who acts as another.
  if (headers['Impersonate-User'] !== undefined) return undefined;
  return /^Bearer (\S+)$/.exec(String(headers['Authorization']))?.[1];
}

function personBy(endpoint: Endpoint, fieldManager: string) {
  const kubernetes = clientOver(makeSend(endpoint), TIMEOUT_MILLISECONDS, { fieldManager });
  const identity = () => identityOf(kubernetes);
  return {
    kubernetes,
    /** Says under which name, and in which groups, the API server knows the person. */
    identity,
    whoAmI: async (): Promise<string> => (await identity()).name,
    may: (access: Access, account?: ServiceAccount) => may(kubernetes, access, account),
  };
}

function chooseContext(kubeconfig: KubeConfig, context: string): void {
  const names = kubeconfig.contexts.map(({ name }) => name);
  if (!names.includes(context))
    throw new TypeError(
      `context ${JSON.stringify(context)} not found in the kubeconfig (${names.join(', ') || 'it has none'}). Choose one of them with --context.`,
    );
  kubeconfig.setCurrentContext(context);
}

/** Reaches the cluster that kubeconfig files name, or that of the pod, by a token and by nothing else of what the process has. */
export function connectWithToken(kubeconfig: string | undefined, token: string): Omit<Person, 'namespace'> {
  const cluster = loadKubeconfig(kubeconfig).getCurrentCluster();
  if (cluster === null) throw new TypeError('no current context in the kubeconfig. Set KUBECONFIG.');
  // A certificate of the process would count more than the token.
  const alone = new KubeConfig();
  alone.loadFromClusterAndUser(cluster, { name: 'person', token });
  return personBy(openKubeconfig(alone), FIELD_MANAGER);
}

interface Reviewed<Status> extends Identified {
  readonly spec?: object;
  readonly status?: Status;
}

interface UserInfo {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** Asks the API server who the person is. */
async function identityOf(kubernetes: KubernetesClient): Promise<Identity> {
  const review: Reviewed<{ readonly userInfo?: UserInfo }> = {
    apiVersion: SELF_SUBJECT_REVIEW.apiVersion,
    kind: SELF_SUBJECT_REVIEW.kind,
    // Nothing is kept of it, so that it bears no name.
    metadata: { name: '' },
  };
  const { username, groups = [] } = (await kubernetes.create(review)).status?.userInfo ?? {};
  if (username === undefined)
    throw new Error('the API server does not report who you are (SelfSubjectReview).');
  return { name: username, groups };
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
