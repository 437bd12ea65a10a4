import { given, isRecord } from '../../model/fields.ts';

/** Decodes base64 to text; undefined when it is none. What does so stands in clients/, as JavaScript itself knows no bytes. */
export type Decode = (base64: string) => string | undefined;

/** Fields of a secret, and the path under which people know them. */
interface SecretFields {
  readonly path: string;
  readonly decode: Decode;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Says what is wrong with a secret; never with a value out of it. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

const LONGEST_TEXT = 4_096;
/** As long as one with the groups of its user may become. */
export const LONGEST_TOKEN = 64_000;
// A hundred certificates.
const LONGEST_PEM = 256_000;
const MOST_TEXTS = 100;

/** Reads a text of at most so many characters; an empty one counts as unset, as in Argo CD. */
function secretTextOf(
  { path, values }: SecretFields,
  key: string,
  longest: number = LONGEST_TEXT,
): string | undefined {
  const value = values[key] ?? '';
  if (typeof value !== 'string')
    throw new Refused(`${path}.${key} must be a string, got ${typeName(value)}.`);
  refuseLonger(`${path}.${key}`, value, longest);
  return value === '' ? undefined : value;
}

/** Throws a Refused for a text that is too long. */
export function refuseLonger(path: string, text: string, longest: number): void {
  if (text.length > longest)
    throw new Refused(`${path} must have at most ${longest} characters, got ${text.length}. Shorten it.`);
}

/** Reads a list of texts; none is an empty one. */
function listOf({ path, values }: SecretFields, key: string): readonly string[] {
  const value = values[key] ?? [];
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string'))
    throw new Refused(`${path}.${key} must be a list of strings.`);
  if (value.length > MOST_TEXTS)
    throw new Refused(
      `${path}.${key} must have at most ${MOST_TEXTS} entries, got ${value.length}. Shorten it.`,
    );
  for (const entry of value) refuseLonger(`${path}.${key}`, entry, LONGEST_TEXT);
  return value;
}

/** Reads an object with fields of its own. */
function partOf({ path, decode, values }: SecretFields, key: string): SecretFields | undefined {
  const value = values[key] ?? undefined;
  if (value === undefined) return undefined;
  if (isRecord(value)) return { path: `${path}.${key}`, decode, values: value };
  throw new Refused(`${path}.${key} must be an object, got ${typeName(value)}.`);
}

/** Reads PEM that is encoded in base64 once more, and leaves it so. */
function pemOf(from: SecretFields, key: string, what: 'CERTIFICATE' | 'PRIVATE KEY'): string | undefined {
  const value = secretTextOf(from, key, LONGEST_PEM);
  if (value === undefined) return undefined;
  const begins =
    what === 'CERTIFICATE' ? /-----BEGIN CERTIFICATE-----/ : /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
  if (begins.test(from.decode(value) ?? '')) return value;
  throw new Refused(`${from.path}.${key} must be a PEM ${what.toLowerCase()} in base64.`);
}

/** Reads JSON with fields. */
export function parseFields(path: string, json: string, decode: Decode): SecretFields {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // What the parser says would quote the text.
    throw new Refused(`${path} must be JSON.`);
  }
  if (isRecord(value)) return { path, decode, values: value };
  throw new Refused(`${path} must be a JSON object, got ${typeName(value)}.`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** How one logs in to a cluster. Values are secret, all but the names of things. */
export type ClusterLogin =
  | { readonly by: 'Token'; readonly token: string }
  | { readonly by: 'Password'; readonly username: string; readonly password: string }
  | ({ readonly by: 'Certificate' } & ClientCertificate)
  | ({ readonly by: 'EKS' } & EKSLogin)
  | ({ readonly by: 'Command' } & CommandLogin)
  /** As Okra itself, to the cluster that the secret is in. */
  | { readonly by: 'InCluster' };

/** A client certificate and its key; PEM in base64, both. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Which EKS cluster to have a token signed for, and as whom. */
export interface EKSLogin {
  readonly clusterName: string;
  /** Undefined: the region that Okra runs in. */
  readonly region?: string;
  /** Undefined: Okra's own identity. */
  readonly roleARN?: string;
  /** What the role's owner asks for beside the ARN. */
  readonly externalID?: string;
}

/** Which command prints credentials, as kubectl's exec plugins do. */
export interface CommandLogin {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly apiVersion: string;
}

/** How the other end of a connection to a cluster is verified. */
export interface ClusterTls {
  /** PEM in base64; undefined: the system's CAs. */
  readonly caData?: string;
  /** The name that the certificate has to bear; undefined: the host of the address. */
  readonly serverName?: string;
  /** Whether any certificate will do. */
  readonly insecure: boolean;
}

/** What Argo CD calls the cluster that it runs in (KubernetesInternalAPIServerAddr), and reaches as itself. */
export const IN_CLUSTER = 'https://kubernetes.default.svc';

/** Reads the one way to log in that a cluster's `config` names; throws a Refused otherwise. */
export function loginOf(config: SecretFields, server: string): ClusterLogin {
  const ways = [tokenOf, passwordOf, eksOf, commandOf]
    .map((read) => read(config, server))
    .filter((way) => way !== undefined);
  const [way, another] = ways;
  if (another !== undefined) {
    throw new Refused(`config must name one way to log in, got ${fieldsOf(ways)}. Keep one of them.`);
  }
  const certificate = certificateOf(config);
  if (way !== undefined) return way;
  if (certificate !== undefined) return { by: 'Certificate', ...certificate };
  if (server === IN_CLUSTER) return { by: 'InCluster' };
  throw new Refused(
    'config names no way to log in. Set bearerToken, username and password, tlsClientConfig.certData and keyData, awsAuthConfig or execProviderConfig.',
  );
}

/** Reads the client certificate that is shown whatever else one logs in with, as Argo CD does; throws a Refused for half of one. */
export function certificateOf(config: SecretFields): ClientCertificate | undefined {
  const tls = partOf(config, 'tlsClientConfig');
  if (tls === undefined) return undefined;
  const certificate = pemOf(tls, 'certData', 'CERTIFICATE');
  const key = pemOf(tls, 'keyData', 'PRIVATE KEY');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  throw new Refused(`${tls.path} must have both certData and keyData, or neither. Set both.`);
}

/** Refuses to show Okra's identity to whoever answers: a token that is made for the occasion goes to a server that is verified. */
export function refuseUnverified({ by }: ClusterLogin, { insecure, caData, serverName }: ClusterTls): void {
  if (by !== 'EKS' && by !== 'Command') return;
  if (insecure) {
    throw new Refused(
      `config.tlsClientConfig.insecure must be unset with ${fieldOf[by]}, because the token could be stolen. Set caData instead.`,
    );
  }
  if (by === 'EKS' && serverName !== undefined && caData === undefined) {
    throw new Refused(
      `config.tlsClientConfig.caData must be set with serverName and ${fieldOf[by]}, because others may have a certificate with that name. Set it, or remove serverName.`,
    );
  }
}

/** Reads how the cluster's certificate is verified; throws a Refused for what cannot be followed. */
export function tlsOf(config: SecretFields): ClusterTls {
  const tls = partOf(config, 'tlsClientConfig') ?? { ...config, path: 'config.tlsClientConfig', values: {} };
  const insecure = tls.values['insecure'] ?? false;
  if (typeof insecure !== 'boolean') throw new Refused(`${tls.path}.insecure must be true or false.`);
  const caData = pemOf(tls, 'caData', 'CERTIFICATE');
  const serverName = secretTextOf(tls, 'serverName');
  if (serverName !== undefined && !HOST_NAME.test(serverName))
    throw new Refused(`${tls.path}.serverName must be a host name.`);
  if (insecure && caData !== undefined) {
    throw new Refused(`${tls.path} must not have both caData and insecure. Remove insecure.`);
  }
  return {
    insecure,
    ...given({ caData, serverName }),
  };
}

const HOST_NAME = /^[A-Za-z0-9][-.:_A-Za-z0-9]{0,252}$/;

const fieldOf: Readonly<Record<Way['by'], string>> = {
  Token: 'bearerToken',
  Password: 'username',
  EKS: 'awsAuthConfig',
  Command: 'execProviderConfig',
};

const fieldsOf = (ways: readonly Way[]): string => ways.map(({ by }) => fieldOf[by]).join(' and ');

/** What a field of its own says one logs in with; of these there is one at most. */
type Way = Exclude<ClusterLogin, { readonly by: 'Certificate' | 'InCluster' }>;

type Read = (config: SecretFields, server: string) => Way | undefined;

const tokenOf: Read = (config) => {
  const token = secretTextOf(config, 'bearerToken', LONGEST_TOKEN);
  if (token === undefined) return undefined;
  // Anything else would break the header, and the error would show it.
  if (/^[\x21-\x7e]+$/.test(token)) return { by: 'Token', token };
  throw new Refused('config.bearerToken must be a token in one line.');
};

const passwordOf: Read = (config) => {
  const username = secretTextOf(config, 'username');
  const password = secretTextOf(config, 'password');
  if (username === undefined && password === undefined) return undefined;
  if (username !== undefined && password !== undefined) return { by: 'Password', username, password };
  throw new Refused('config must have both username and password. Set both.');
};

const ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;
const REGION = /^[a-z]{2,8}(-[a-z]{1,16}){1,4}-\d{1,2}$/;

const ARN = /^arn:aws[a-z-]*:eks:([a-z0-9-]{1,32}):\d{12}:cluster\/([0-9A-Za-z][\w-]{0,99})$/;

/** Reads which EKS cluster an ARN names, as Argo CD on EKS has it in place of an address; undefined when it is none. */
export function namedByARN(
  server: string,
): { readonly region: string; readonly clusterName: string } | undefined {
  const [, region, clusterName] = ARN.exec(server) ?? [];
  return region === undefined || clusterName === undefined ? undefined : { region, clusterName };
}

const eksOf: Read = (config, server) => {
  const named = namedByARN(server);
  const written = partOf(config, 'awsAuthConfig');
  if (written === undefined && named === undefined) return undefined;
  const eks = written ?? { ...config, path: `${config.path}.awsAuthConfig`, values: {} };
  const clusterName = secretTextOf(eks, 'clusterName') ?? named?.clusterName;
  const roleARN = secretTextOf(eks, 'roleARN');
  const externalID = secretTextOf(eks, 'externalID');
  const region = secretTextOf(eks, 'region') ?? named?.region ?? regionOfEndpoint(server);
  if (clusterName === undefined) throw new Refused(`${eks.path}.clusterName must be set.`);
  if (!/^[0-9A-Za-z][\w-]{0,99}$/.test(clusterName)) {
    throw new Refused(`${eks.path}.clusterName must be the name of an EKS cluster.`);
  }
  if (named !== undefined && (clusterName !== named.clusterName || region !== named.region)) {
    throw new Refused(
      `${eks.path} must name the cluster and region of data.server. Remove clusterName and region.`,
    );
  }
  checkRole(eks.path, roleARN, externalID);
  if (region !== undefined && !REGION.test(region)) {
    throw new Refused(`${eks.path}.region must be a region such as eu-central-1.`);
  }
  // It names a file of Argo CD's own pod.
  if (secretTextOf(eks, 'profile') !== undefined) {
    throw new Refused(
      `${eks.path}.profile must be unset, because Okra has no profiles. Set roleARN instead.`,
    );
  }
  return {
    by: 'EKS',
    clusterName,
    ...given({ region, roleARN, externalID }),
  };
};

function checkRole(path: string, roleARN: string | undefined, externalID: string | undefined): void {
  if (roleARN !== undefined && !ROLE.test(roleARN))
    throw new Refused(`${path}.roleARN must be the ARN of an IAM role.`);
  if (externalID !== undefined && (roleARN === undefined || !EXTERNAL_ID.test(externalID)))
    throw new Refused(`${path}.externalID must be an external ID, and needs roleARN.`);
}

// The endpoints of EKS end differently in each partition: ID.gr7.REGION.eks.SUFFIX, and ID.eks-cluster.REGION.api.SUFFIX.
function regionOfEndpoint(server: string): string | undefined {
  const host = /^https:\/\/([^/:]+)/i.exec(server)?.[1] ?? '';
  const labels = host.toLowerCase().split('.');
  const at = labels.findIndex((label) => REGION.test(label));
  const [before, after] = [labels[at - 1], labels[at + 1]];
  const isEKS = after === 'eks' || (before === 'eks-cluster' && after === 'api');
  return at > 0 && isEKS ? labels[at] : undefined;
}

const commandOf: Read = (config) => {
  const exec = partOf(config, 'execProviderConfig');
  if (exec === undefined) return undefined;
  const command = secretTextOf(exec, 'command');
  if (command === undefined) throw new Refused(`${exec.path}.command must be set.`);
  const environment = partOf(exec, 'env') ?? { ...exec, path: `${exec.path}.env`, values: {} };
  return {
    by: 'Command',
    command,
    args: listOf(exec, 'args'),
    environment: Object.fromEntries(
      Object.keys(environment.values).map((name) => [name, secretTextOf(environment, name) ?? '']),
    ),
    apiVersion: secretTextOf(exec, 'apiVersion') ?? 'client.authentication.k8s.io/v1beta1',
  };
};
