import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../labels.ts';
import { decodeBase64 } from './base64.ts';
import { loginOf, refuseUnverified, tlsOf } from './cluster-login.ts';
import type { ClusterLogin, ClusterTls } from './cluster-login.ts';
import { parseFields, Refused } from './secret-fields.ts';

export type { ClusterLogin, ClusterTls, CommandLogin, EKSLogin } from './cluster-login.ts';

/** A Secret, as far as it speaks of a cluster. */
export interface ClusterSecret {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** How a cluster is reached. */
export interface ClusterConnection {
  readonly name: string;
  readonly server: string;
  /** The only namespaces that may be touched; empty: all. */
  readonly namespaces: readonly string[];
  readonly tls: ClusterTls;
  readonly login: ClusterLogin;
}

/** What a secret says, or why it cannot be followed: a sentence that holds no value out of the secret. */
export type ParsedClusterSecret =
  | { readonly is: 'Connection'; readonly connection: ClusterConnection }
  | { readonly is: 'Problem'; readonly problem: string };

/** Reads a cluster secret of Argo CD. */
export function parseClusterSecret(secret: ClusterSecret): ParsedClusterSecret {
  try {
    return { is: 'Connection', connection: connectionOf(secret) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { namespace, name } = secret.metadata;
    const at = namespace === undefined ? name : `${namespace}/${name}`;
    return { is: 'Problem', problem: `Expected in Secret ${at} ${error.message}` };
  }
}

/** What a secret for an EKS cluster is made of. */
export interface EKSClusterFacts {
  readonly name: string;
  readonly endpoint: string;
  /** PEM in base64, as EKS gives it. */
  readonly caData: string;
  readonly region?: string;
  readonly roleARN?: string;
  readonly externalID?: string;
}

/** Writes what stands in the secret by which Argo CD, and Okra, reach an EKS cluster, before it is put into base64. */
export function clusterSecretValues(
  of: EKSClusterFacts,
): Readonly<Record<'name' | 'server' | 'config', string>> {
  const { name, endpoint, caData, region, roleARN, externalID } = of;
  const config = {
    awsAuthConfig: {
      clusterName: name,
      ...(roleARN === undefined ? {} : { roleARN }),
      // Argo CD passes over what it does not know.
      ...(region === undefined ? {} : { region }),
      ...(externalID === undefined ? {} : { externalID }),
    },
    tlsClientConfig: { insecure: false, caData },
  };
  return {
    name,
    server: endpoint,
    config: JSON.stringify(config),
  };
}

function connectionOf({ metadata, data = {} }: ClusterSecret): ClusterConnection {
  const type = metadata.labels?.[SECRET_TYPE_LABEL];
  if (type !== SECRET_TYPE_CLUSTER) {
    throw new Refused(
      `the label ${SECRET_TYPE_LABEL}=${SECRET_TYPE_CLUSTER}, got ${type ?? 'none'}. Set it, or name another Secret.`,
    );
  }
  const server = serverOf(entryOf(data, 'server'));
  const config = parseFields('config', entryOf(data, 'config') ?? '{}');
  const proxied = config.values['proxyUrl'] ?? '';
  if (proxied !== '')
    throw new Refused('config.proxyUrl to be unset, because Okra uses no proxy. Remove it.');
  const login = loginOf(config, server);
  const tls = tlsOf(config);
  refuseUnverified(login, tls);
  return {
    name: entryOf(data, 'name') ?? server,
    server,
    namespaces: (entryOf(data, 'namespaces') ?? '')
      .split(',')
      .map((namespace) => namespace.trim())
      .filter((namespace) => namespace !== ''),
    tls,
    login,
  };
}

function entryOf(data: Readonly<Record<string, string>>, key: string): string | undefined {
  const encoded = data[key] ?? '';
  const text = decodeBase64(encoded);
  if (text === undefined) throw new Refused(`data.${key} to be text in base64, got something else.`);
  return text === '' ? undefined : text;
}

const HOST = String.raw`(\[[0-9a-f:.]+\]|[a-z0-9]([-._a-z0-9]*[a-z0-9])?)(:\d{1,5})?`;
const ADDRESS = new RegExp(`^https://${HOST}(/[^\\s?#@]*)?$`, 'i');

function serverOf(server: string | undefined): string {
  // Nothing else keeps what one logs in with from being read on its way.
  if (server === undefined || !/^https:\/\/[^/]/i.test(server)) {
    throw new Refused('data.server to be an https URL, got something else. Set it to the API server.');
  }
  if (ADDRESS.test(server)) return server.replace(/\/+$/, '');
  throw new Refused('data.server to be the address alone, got more. Put credentials into config.');
}
