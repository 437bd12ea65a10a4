import { Refused, listOf, partOf, pemOf, textOf } from './secret-fields.ts';
import type { Fields } from './secret-fields.ts';

/** How one logs in to a cluster. Values are secret, all but the names of things. */
export type ClusterLogin =
  | { readonly by: 'Token'; readonly token: string }
  | { readonly by: 'Password'; readonly username: string; readonly password: string }
  /** PEM in base64, both. */
  | { readonly by: 'Certificate'; readonly certificate: string; readonly key: string }
  | ({ readonly by: 'EKS' } & EKSLogin)
  | ({ readonly by: 'Command' } & CommandLogin);

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

/** Reads the one way to log in that a cluster's `config` names; throws a Refused otherwise. */
export function loginOf(config: Fields, server: string): ClusterLogin {
  const ways = [tokenOf, passwordOf, certificateOf, eksOf, commandOf]
    .map((read) => read(config, server))
    .filter((way) => way !== undefined);
  const [way, another] = ways;
  if (way === undefined) {
    throw new Refused(
      'config to name a way to log in, got none. Set bearerToken, username and password, tlsClientConfig.certData and keyData, awsAuthConfig or execProviderConfig.',
    );
  }
  if (another === undefined) return way;
  throw new Refused(`config to name one way to log in, got ${fieldsOf(ways)}. Leave one of them.`);
}

/** Refuses to show Okra's identity to whoever answers: a token that is made for the occasion goes to a server that is verified. */
export function refuseUnverified({ by }: ClusterLogin, { insecure, caData, serverName }: ClusterTls): void {
  if (by !== 'EKS' && by !== 'Command') return;
  if (insecure) {
    throw new Refused(
      `config.tlsClientConfig.insecure to be unset with ${fieldOf[by]}, because anybody could take the token. Set caData instead.`,
    );
  }
  if (by === 'EKS' && serverName !== undefined && caData === undefined) {
    throw new Refused(
      `config.tlsClientConfig.caData to be set with serverName and ${fieldOf[by]}, because anybody may have a certificate with that name. Set it, or remove serverName.`,
    );
  }
}

/** Reads how the cluster's certificate is verified; throws a Refused for what cannot be followed. */
export function tlsOf(config: Fields): ClusterTls {
  const tls = partOf(config, 'tlsClientConfig') ?? { path: 'config.tlsClientConfig', values: {} };
  const insecure = tls.values['insecure'] ?? false;
  if (typeof insecure !== 'boolean') throw new Refused(`${tls.path}.insecure to be true or false.`);
  const caData = pemOf(tls, 'caData', 'CERTIFICATE');
  const serverName = textOf(tls, 'serverName');
  if (insecure && caData !== undefined) {
    throw new Refused(`${tls.path} to have caData or insecure, got both. Remove insecure.`);
  }
  return {
    insecure,
    ...(caData === undefined ? {} : { caData }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

const fieldOf: Readonly<Record<ClusterLogin['by'], string>> = {
  Token: 'bearerToken',
  Password: 'username',
  Certificate: 'tlsClientConfig.certData',
  EKS: 'awsAuthConfig',
  Command: 'execProviderConfig',
};

const fieldsOf = (ways: readonly ClusterLogin[]): string => ways.map(({ by }) => fieldOf[by]).join(' and ');

type Read = (config: Fields, server: string) => ClusterLogin | undefined;

const tokenOf: Read = (config) => {
  const token = textOf(config, 'bearerToken');
  if (token === undefined) return undefined;
  // Anything else would break the header, and the error would show it.
  if (/^[\x21-\x7e]+$/.test(token)) return { by: 'Token', token };
  throw new Refused('config.bearerToken to be a token in one line, got something else.');
};

const passwordOf: Read = (config) => {
  const username = textOf(config, 'username');
  const password = textOf(config, 'password');
  if (username === undefined && password === undefined) return undefined;
  if (username !== undefined && password !== undefined) return { by: 'Password', username, password };
  throw new Refused('config to have username and password together, got one of them. Set both.');
};

const certificateOf: Read = (config) => {
  const tls = partOf(config, 'tlsClientConfig');
  if (tls === undefined) return undefined;
  const certificate = pemOf(tls, 'certData', 'CERTIFICATE');
  const key = pemOf(tls, 'keyData', 'PRIVATE KEY');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined) return { by: 'Certificate', certificate, key };
  throw new Refused(`${tls.path} to have certData and keyData together, got one of them. Set both.`);
};

const ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;
const REGION = /^[a-z]{2}(-[a-z]+)+-\d+$/;

const eksOf: Read = (config, server) => {
  const eks = partOf(config, 'awsAuthConfig');
  if (eks === undefined) return undefined;
  const clusterName = textOf(eks, 'clusterName');
  const roleARN = textOf(eks, 'roleARN');
  const externalID = textOf(eks, 'externalID');
  const region = textOf(eks, 'region') ?? regionOfEndpoint(server);
  if (clusterName === undefined) throw new Refused(`${eks.path}.clusterName to be set, got nothing.`);
  if (!/^[0-9A-Za-z][\w-]{0,99}$/.test(clusterName)) {
    throw new Refused(`${eks.path}.clusterName to be the name of an EKS cluster, got something else.`);
  }
  if (roleARN !== undefined && !ROLE.test(roleARN)) {
    throw new Refused(`${eks.path}.roleARN to be the ARN of an IAM role, got something else.`);
  }
  if (externalID !== undefined && (roleARN === undefined || !EXTERNAL_ID.test(externalID))) {
    throw new Refused(`${eks.path}.externalID to be an external id, beside roleARN, got something else.`);
  }
  if (region !== undefined && !REGION.test(region)) {
    throw new Refused(`${eks.path}.region to be a region such as eu-central-1, got something else.`);
  }
  // It names a file of Argo CD's own pod.
  if (textOf(eks, 'profile') !== undefined) {
    throw new Refused(`${eks.path}.profile to be unset, because Okra has no profiles. Set roleARN instead.`);
  }
  return {
    by: 'EKS',
    clusterName,
    ...(region === undefined ? {} : { region }),
    ...(roleARN === undefined ? {} : { roleARN }),
    ...(externalID === undefined ? {} : { externalID }),
  };
};

const regionOfEndpoint = (server: string): string | undefined =>
  /^https:\/\/[^/]+\.([a-z0-9-]+)\.(?:eks\.amazonaws\.com(?:\.cn)?|api\.aws)(?:[:/]|$)/.exec(server)?.[1];

const commandOf: Read = (config) => {
  const exec = partOf(config, 'execProviderConfig');
  if (exec === undefined) return undefined;
  const command = textOf(exec, 'command');
  if (command === undefined) throw new Refused(`${exec.path}.command to be set, got nothing.`);
  const environment = partOf(exec, 'env') ?? { path: `${exec.path}.env`, values: {} };
  return {
    by: 'Command',
    command,
    args: listOf(exec, 'args'),
    environment: Object.fromEntries(
      Object.keys(environment.values).map((name) => [name, textOf(environment, name) ?? '']),
    ),
    apiVersion: textOf(exec, 'apiVersion') ?? 'client.authentication.k8s.io/v1beta1',
  };
};
