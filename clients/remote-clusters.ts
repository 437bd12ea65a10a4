import { refusalOf } from '../domain/discovery/allowed-command.ts';
import { parseClusterSecret } from '../domain/discovery/cluster-secret.ts';
import type { ClusterConnection, ClusterLogin, ClusterSecret } from '../domain/discovery/cluster-secret.ts';
import type { Config } from '../config.ts';
import { wordsOf } from './aws-redaction.ts';
import { eksTokens, type EKSTokens } from './eks-token.ts';
import { execTokens } from './exec-login.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { remoteDoor, type RemoteDoorOptions } from './kubernetes-door.ts';
import { makeSend } from './kubernetes-transport.ts';
import type { Send, TokenSource } from './kubernetes-transport.ts';
import { clientOver } from './kubernetes.ts';
import type { KubernetesClient } from './kubernetes.ts';
import { REMOTE_CLUSTER } from './limits.ts';

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
export interface RemoteClusters {
  /** Gives the way to a cluster; the same one until its secret changes. Nothing is sent before the client is used. */
  reach(secret: StoredClusterSecret): Reach;
  /** Forgets the clusters of a namespace whose secrets have other uids. */
  keep(namespace: string, uids: ReadonlySet<string>): void;
}

/** What clusters are reached with. */
export interface RemoteOptions {
  readonly tokens: EKSTokens;
  /** The region of EKS clusters whose secret names none. */
  readonly region?: string | undefined;
  /** The commands that secrets may name, with their arguments. */
  readonly execCommands: readonly string[];
  /** The variables that these see beside the usual ones. */
  readonly execEnvironment?: readonly string[];
  /** How long a cluster may take for one answer. */
  readonly timeoutMilliseconds?: number;
}

const TIMEOUT_MILLISECONDS = 10_000;

interface Kept {
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly reach: Reach;
}

/** Opens the pool of remote clusters as the environment says. */
export const connectClusters = ({
  aws,
  execCommands,
  execEnvironment,
}: Pick<Config, 'aws' | 'execCommands' | 'execEnvironment'>): RemoteClusters =>
  remoteClusters({
    tokens: eksTokens({ stsEndpoint: aws.stsEndpoint }),
    region: aws.region,
    execCommands,
    execEnvironment,
  });

/** Opens the pool of remote clusters; each has connections and timeouts of its own, so that none holds up another. */
export function remoteClusters(options: RemoteOptions): RemoteClusters {
  const pool = new Map<string, Kept>();
  return {
    reach: (secret) => {
      const { uid, namespace, resourceVersion } = secret.metadata;
      const known = pool.get(uid);
      if (known?.resourceVersion === resourceVersion) return known.reach;
      const reach = open(secret, options);
      pool.set(uid, { namespace, resourceVersion, reach });
      return reach;
    },
    keep: (namespace, uids) => {
      for (const [uid, kept] of pool) if (kept.namespace === namespace && !uids.has(uid)) pool.delete(uid);
    },
  };
}

function open(secret: ClusterSecret, options: RemoteOptions): Reach {
  const parsed = parseClusterSecret(secret);
  if (parsed.is === 'Problem') return parsed;
  const { connection } = parsed;
  // A port beyond all ports, say.
  if (!URL.canParse(connection.server)) {
    const problem = `Expected in Secret ${secret.metadata.name} data.server to be an address, got something else. Set it to the API server.`;
    return { is: 'Problem', problem };
  }
  const source = sourceOf(connection, options);
  if (source.is === 'Problem') return source;
  const send = makeSend(remoteDoor(doorOf(connection)), source.token);
  const timeout = options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS;
  const client = clientOver(explain(send, connection), timeout, REMOTE_CLUSTER);
  return { is: 'Client', name: connection.name, namespaces: connection.namespaces, client };
}

type Source =
  | { readonly is: 'Source'; readonly token: TokenSource | undefined }
  | { readonly is: 'Problem'; readonly problem: string };

function sourceOf({ name, login }: ClusterConnection, options: RemoteOptions): Source {
  switch (login.by) {
    case 'EKS': {
      const region = login.region ?? options.region;
      if (region !== undefined)
        return { is: 'Source', token: (refused) => options.tokens({ ...login, region }, refused) };
      return {
        is: 'Problem',
        problem: `Expected a region for EKS cluster ${login.clusterName}, got none. Set awsAuthConfig.region, or AWS_REGION.`,
      };
    }
    case 'Command': {
      const { execCommands, execEnvironment: environment = [] } = options;
      const { timeoutMilliseconds = TIMEOUT_MILLISECONDS } = options;
      const refusal = refusalOf(login, execCommands);
      if (refusal !== undefined) return { is: 'Problem', problem: `Cluster ${name}: ${refusal}` };
      return { is: 'Source', token: execTokens(login, { timeoutMilliseconds, environment }) };
    }
    case 'Token':
    case 'Password':
    case 'Certificate':
      return { is: 'Source', token: undefined };
  }
}

function doorOf({ server, tls, login }: ClusterConnection): RemoteDoorOptions {
  const { caData, serverName, insecure } = tls;
  const pair =
    login.by === 'Certificate' ? { cert: decoded(login.certificate), key: decoded(login.key) } : {};
  return {
    server,
    headers: staticLogin(login),
    tls: {
      ...pair,
      rejectUnauthorized: !insecure,
      ...(caData === undefined ? {} : { ca: decoded(caData) }),
      ...(serverName === undefined ? {} : { servername: serverName }),
    },
  };
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

function staticLogin(login: ClusterLogin): Readonly<Record<string, string>> {
  switch (login.by) {
    case 'Token':
      return { Authorization: `Bearer ${login.token}` };
    case 'Password': {
      const both = Buffer.from(`${login.username}:${login.password}`).toString('base64');
      return { Authorization: `Basic ${both}` };
    }
    case 'Certificate':
    case 'EKS':
    case 'Command':
      return {};
  }
}

/** Says of every error which cluster it comes from, and what to look at. */
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
    const message = `${cluster}: Expected to be given a token, got ${got}. ${advice[login.by]}`;
    return new KubernetesError({ status: 0, reason: 'LoginFailed', message });
  }
  const { status, reason, message } = error;
  const got = refusalIn(error);
  const told =
    got === undefined
      ? message
      : `Expected ${what[login.by]} to be accepted, got ${got}. ${advice[login.by]}`;
  return new KubernetesError({ status, reason, message: `${cluster}: ${told}` }, { cause: error });
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
};

const advice: Readonly<Record<ClusterLogin['by'], string>> = {
  Token: 'Renew bearerToken in the secret.',
  Password: 'Kubernetes takes no passwords since 1.19: use a token, a certificate or awsAuthConfig.',
  Certificate: 'Check that certData has not expired, and that the cluster trusts its CA.',
  EKS: "Check awsAuthConfig, and that the cluster has an access entry for the role or for Okra's own identity.",
  Command: 'Check execProviderConfig, and run the command where Okra runs.',
};
