import { given } from '../../model/fields.ts';
import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../kubernetes/labels.ts';
import {
  certificateOf,
  loginOf,
  namedByARN,
  refuseUnverified,
  tlsOf,
  type ClientCertificate,
  type ClusterLogin,
  type ClusterTls,
  parseFields,
  Refused,
  refuseLonger,
  type Decode,
} from './cluster-login.ts';
import { withoutEnd } from '../../text.ts';

export type { ClientCertificate, ClusterLogin, ClusterTls, CommandLogin, EKSLogin } from './cluster-login.ts';

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
  /** The address of its API server, or the ARN of an EKS cluster, whose address EKS knows. */
  readonly server: string;
  /** The only namespaces that may be touched; empty: all. */
  readonly namespaces: readonly string[];
  readonly tls: ClusterTls;
  readonly login: ClusterLogin;
  /** What is shown beside another login. */
  readonly certificate?: ClientCertificate;
}

/** What a secret says, or why it cannot be followed: a sentence that holds no value out of the secret. */
type ParsedClusterSecret =
  | { readonly is: 'Connection'; readonly connection: ClusterConnection }
  | { readonly is: 'Problem'; readonly problem: string };

/** Reads a cluster secret of Argo CD. */
export function parseClusterSecret(secret: ClusterSecret, decode: Decode): ParsedClusterSecret {
  try {
    return { is: 'Connection', connection: connectionOf(secret, decode) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { namespace, name } = secret.metadata;
    const at = namespace === undefined ? name : `${namespace}/${name}`;
    return { is: 'Problem', problem: `Invalid Secret ${at}: ${error.message}` };
  }
}

/** What a secret for an EKS cluster is made of. */
interface EKSClusterFacts {
  readonly name: string;
  readonly endpoint: string;
  /** PEM in base64, as EKS gives it. */
  readonly caData: string;
  readonly region?: string;
  readonly roleARN?: string;
  readonly externalID?: string;
}

/** Writes the config of a secret with the ARN of a cluster, which says as whom Okra logs in; empty as Okra itself. */
export const configByARN = ({
  name,
  roleARN,
  externalID,
}: Omit<EKSClusterFacts, 'endpoint' | 'caData'>): string =>
  roleARN === undefined
    ? ''
    : JSON.stringify({
        awsAuthConfig: { clusterName: name, roleARN, ...given({ externalID }) },
      });

/** Writes what stands in the secret by which Argo CD, and Okra, reach an EKS cluster, before it is put into base64. */
export function clusterSecretValues(
  of: EKSClusterFacts,
): Readonly<Record<'name' | 'server' | 'config', string>> {
  const { name, endpoint, caData, region, roleARN, externalID } = of;
  const config = {
    awsAuthConfig: {
      clusterName: name,
      ...given({ roleARN }),
      // Argo CD passes over what it does not know.
      ...given({ region, externalID }),
    },
    tlsClientConfig: { insecure: false, caData },
  };
  return {
    name,
    server: endpoint,
    config: JSON.stringify(config),
  };
}

function connectionOf({ metadata, data = {} }: ClusterSecret, decode: Decode): ClusterConnection {
  const type = metadata.labels?.[SECRET_TYPE_LABEL];
  if (type !== SECRET_TYPE_CLUSTER) {
    throw new Refused(
      `the label ${SECRET_TYPE_LABEL} must be ${SECRET_TYPE_CLUSTER}, got ${type ?? 'none'}. Set it, or name another Secret.`,
    );
  }
  const entry = (key: Key): string | undefined => entryOf(data, key, decode);
  const server = serverOf(entry('server'));
  const config = parseFields('config', entry('config') ?? '{}', decode);
  const proxied = config.values['proxyUrl'] ?? '';
  if (proxied !== '')
    throw new Refused('config.proxyUrl must be unset, because Okra uses no proxy. Remove it.');
  const login = loginOf(config, server);
  const certificate = login.by === 'Certificate' ? undefined : certificateOf(config);
  const tls = tlsOf(config);
  refuseUnverified(login, tls);
  return {
    name: entry('name') ?? server,
    server,
    namespaces: namespacesOf(entry('namespaces') ?? ''),
    tls,
    login,
    ...given({ certificate }),
  };
}

const longest = { name: 253, server: 2_048, config: 512_000, namespaces: 16_000 } as const;

// Base64 writes three bytes as four characters, and UTF-8 a character as four bytes at most.
const LONGEST_ENCODING = 16 / 3;

type Key = keyof typeof longest;

function entryOf(data: Readonly<Record<string, string>>, key: Key, decode: Decode): string | undefined {
  const encoded = data[key] ?? '';
  // What is far too long is not worth to be decoded.
  if (encoded.length > longest[key] * LONGEST_ENCODING + 4)
    throw new Refused(`data.${key} must have at most ${longest[key]} characters. Shorten it.`);
  const text = decode(encoded);
  if (text === undefined) throw new Refused(`data.${key} must be text in base64.`);
  refuseLonger(`data.${key}`, text, longest[key]);
  return text === '' ? undefined : text;
}

// Each is watched by itself.
const MOST_NAMESPACES = 100;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function namespacesOf(text: string): readonly string[] {
  const names = text
    .split(',')
    .map((namespace) => namespace.trim())
    .filter((namespace) => namespace !== '');
  if (names.length > MOST_NAMESPACES) {
    throw new Refused(
      `data.namespaces must list at most ${MOST_NAMESPACES} namespaces, got ${names.length}. Remove those that Okra need not see, or unset it to let Okra see all.`,
    );
  }
  if (names.every((name) => NAMESPACE.test(name))) return [...new Set(names)];
  throw new Refused('data.namespaces must be a comma-separated list of namespaces.');
}

const HOST = String.raw`(\[[0-9a-f:.]+\]|[a-z0-9][-._a-z0-9]*)(:\d{1,5})?`;
const ADDRESS = new RegExp(`^https://${HOST}(/[^\\s?#@]*)?$`, 'i');

function serverOf(server: string | undefined): string {
  if (server !== undefined && namedByARN(server) !== undefined) return server;
  // Nothing else keeps what one logs in with from being read on its way.
  if (server === undefined || !/^https:\/\/[^/]/i.test(server)) {
    throw new Refused(
      'data.server must be an https URL or the ARN of an EKS cluster. Set it to the address of the API server.',
    );
  }
  if (ADDRESS.test(server)) return withoutEnd(server, '/');
  throw new Refused('data.server must be only an address. Put credentials into config.');
}
