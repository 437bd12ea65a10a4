import { parseClusterSecret } from './cluster-secret.ts';
import type {
  ClusterConnection,
  ClusterLogin,
  ClusterSecret,
} from '../../domain/discovery/clusters/cluster-secret.ts';
import type { Config } from '../../config/config.ts';
import { wordsOf } from '../aws/aws-redaction.ts';
import type { AccessPolicies } from './access-policies.ts';
import { findTokenSource, permitOwn, type ClusterTokenOptions } from './cluster-tokens.ts';
import { eksEndpoints } from '../aws/eks-endpoints.ts';
import { lateEKS, lateTokens } from '../aws/late.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { describeEndpoint, openFound, openRemote } from './kubernetes-endpoint.ts';
import { makeSend, type Send } from './kubernetes-transport.ts';
import { clientOver, sendAsOkra, type KubernetesClient } from './kubernetes.ts';
import { REMOTE_CLUSTER } from './kubernetes-answer.ts';

/** A cluster secret as the API server gives it. */
export type StoredClusterSecret = ClusterSecret & {
  readonly metadata: {
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean;
    }[];
  };
};

/** A way to a cluster, or why there is none: a sentence that holds no value out of the secret. */
export type Reach =
  | {
      readonly is: 'Client';
      readonly name: string;
      /** The only namespaces that may be touched; empty: all. */
      readonly namespaces: readonly string[];
      readonly client: KubernetesClient;
    }
  | { readonly is: 'Problem'; readonly problem: string };

/** The clusters that Argo CD's secrets name. */
export type RemoteClusters = ReturnType<typeof openRemoteClusters>;

/** What clusters are reached with. */
export interface RemoteOptions extends Omit<ClusterTokenOptions, 'timeoutMilliseconds'> {
  readonly own: () => Send;
  readonly timeoutMilliseconds?: number;
}

const TIMEOUT_MILLISECONDS = 10_000;

/** Opens the pool of remote clusters as the environment says. */
export const connectClusters = (
  config: Pick<Config, 'aws' | 'execCommands' | 'execServers' | 'execEnvironment' | 'kubernetes'>,
  access: AccessPolicies,
): RemoteClusters => {
  const { aws, kubernetes } = config;
  return openRemoteClusters({
    ...config,
    tokens: lateTokens({ stsEndpoint: aws.stsEndpoint }),
    endpoints: eksEndpoints(lateEKS({ endpoint: aws.eksEndpoint, stsEndpoint: aws.stsEndpoint })),
    access: (namespace) => access.lately(namespace),
    region: aws.region,
    own: () => sendAsOkra(kubernetes.kubeconfig),
  });
};

/** Opens the pool of remote clusters; each has connections and timeouts of its own, so that none holds up another. */
export function openRemoteClusters(options: RemoteOptions) {
  const pool = new Map<string, { readonly secret: StoredClusterSecret; readonly reach: Reach }>();
  return {
    /** Gives the way to a cluster; the same one until its secret changes. Nothing is sent before the client is used. */
    reach: (secret: StoredClusterSecret): Reach => {
      const { uid, resourceVersion } = secret.metadata;
      const known = pool.get(uid);
      if (known?.secret.metadata.resourceVersion === resourceVersion) return known.reach;
      const reach = open(secret, options);
      pool.set(uid, { secret, reach });
      return reach;
    },
    /** Forgets the clusters of a namespace whose secrets have other uids. */
    keep: (namespace: string, uids: ReadonlySet<string>): void => {
      for (const [uid, { secret }] of pool)
        if (secret.metadata.namespace === namespace && !uids.has(uid)) pool.delete(uid);
    },
  };
}

function open(secret: ClusterSecret, options: RemoteOptions): Reach {
  const parsed = parseClusterSecret(secret);
  if (parsed.is === 'Problem') return parsed;
  const { connection } = parsed;
  // A port beyond all ports, say.
  if (!URL.canParse(connection.server)) {
    const problem = `Invalid data.server in Secret ${secret.metadata.name}: must be an address. Set it to the API server.`;
    return { is: 'Problem', problem };
  }
  const { namespace = '' } = secret.metadata;
  const { timeoutMilliseconds = TIMEOUT_MILLISECONDS } = options;
  const source = findTokenSource(connection, namespace, { ...options, timeoutMilliseconds });
  if (source.is === 'Problem') return source;
  const isOwn = connection.login.by === 'InCluster';
  const { find } = source;
  const send = isOwn
    ? permitOwn(options.own(), namespace, options)
    : makeSend(
        find === undefined
          ? openRemote(describeEndpoint(connection))
          : openFound(async (isLost) => describeEndpoint(await find(isLost))),
        source.token,
      );
  const client = clientOver(explain(send, connection), timeoutMilliseconds, {
    limits: REMOTE_CLUSTER,
  });
  return { is: 'Client', name: connection.name, namespaces: connection.namespaces, client };
}

function explain(send: Send, { name, server, login }: ClusterConnection): Send {
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      if (request.signal.aborted && error === request.signal.reason) throw error;
      throw explained(error, `Cluster ${name} at ${server}`, login);
    }
  };
}

function explained(error: unknown, cluster: string, login: ClusterLogin): KubernetesError {
  if (!(error instanceof KubernetesError)) {
    const got =
      error instanceof Error ? [error.name, wordsOf(error)].filter(Boolean).join(': ') : String(error);
    const message = `${cluster}: cannot get a token: ${got}. ${advice[login.by]}`;
    return new KubernetesError({ status: 0, reason: 'LoginFailed', message });
  }
  const { status, reason, message, retryAfterSeconds } = error;
  const got = refusalIn(error);
  const told =
    got === undefined ? message : `${what[login.by]} was not accepted: ${got}. ${advice[login.by]}`;
  const said = { status, reason, message: `${cluster}: ${told}`, retryAfterSeconds };
  return new KubernetesError(said, { cause: error });
}

function refusalIn({ status, message }: KubernetesError): string | undefined {
  if (status === 401) return '401 Unauthorized';
  // What an API server takes for no login at all.
  if (status === 403 && message.includes('system:anonymous')) return '403 Forbidden as system:anonymous';
  return undefined;
}

const what: Readonly<Record<ClusterLogin['by'], string>> = {
  Token: 'the bearer token',
  Password: 'the username and password',
  Certificate: 'the client certificate',
  EKS: 'the EKS token',
  Command: "the command's token",
  InCluster: "Okra's own account",
};

const advice: Readonly<Record<ClusterLogin['by'], string>> = {
  Token: 'Renew bearerToken in the secret.',
  Password: 'Kubernetes takes no passwords since 1.19: use a token, a certificate or awsAuthConfig.',
  Certificate: 'Check that certData has not expired, and that the cluster trusts its CA.',
  EKS: "Check awsAuthConfig, and that the cluster has an access entry for the role or for Okra's own identity.",
  Command: 'Check execProviderConfig, and run the command where Okra runs.',
  InCluster: "Check KUBECONFIG of okrad, or its pod's service account.",
};
