import { decodeBase64 } from './base64.ts';
import { refusalOf, type Access, type Use, isLike } from '../../domain/access/access.ts';
import { commandRefusalOf as refusalOfCommand } from '../../domain/discovery/clusters/allowed-command.ts';
import {
  type ClusterConnection,
  type CommandLogin,
  type EKSLogin,
  IN_CLUSTER,
  namedByARN,
} from '../../domain/discovery/clusters/cluster-secret.ts';
import { refuseForeignEndpoint, type EKSEndpoint } from '../../domain/discovery/clusters/eks-endpoint.ts';
import type { EKSEndpoints } from '../aws/eks-endpoints.ts';
import type { EKSTokenScope, EKSTokens } from '../aws/eks-token.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { Send, TokenSource } from './kubernetes-transport.ts';
import { execFile } from 'node:child_process';
import { LONGEST_TOKEN } from './cluster-secret.ts';
import { fieldsIn, given, parseJSON } from '../../domain/model/fields.ts';
import { keepMade, limitConcurrency, type Kept } from '../concurrency.ts';

/** With what tokens are made, and where they may go. */
export interface ClusterTokenOptions {
  readonly tokens: EKSTokens;
  readonly endpoints: EKSEndpoints;
  readonly access: (namespace: string) => Promise<Access | undefined>;
  readonly region?: string | undefined;
  readonly execCommands: readonly string[];
  /** The variables that these see beside the usual ones. */
  readonly execEnvironment?: readonly string[];
  /** The hosts that the tokens of these commands may go to, or patterns of them. */
  readonly execServers: readonly string[];
  readonly timeoutMilliseconds: number;
  readonly now?: () => number;
}

type ClusterTokenSource =
  | {
      readonly is: 'Source';
      readonly token: TokenSource | undefined;
      /** Finds the address and the CA of a cluster that its secret names by ARN; those that EKS gives now, once they are lost. */
      readonly find?: (isLost: boolean) => Promise<ClusterConnection>;
    }
  | { readonly is: 'Problem'; readonly problem: string };

/** Finds where the tokens for a cluster come from; each is shown to nobody but the cluster that it is for. */
export function findTokenSource(
  connection: ClusterConnection,
  namespace: string,
  options: ClusterTokenOptions,
): ClusterTokenSource {
  const { login } = connection;
  switch (login.by) {
    case 'EKS': {
      const region = login.region ?? options.region;
      if (region === undefined) {
        const problem = `Region of EKS cluster ${login.clusterName} not found. Set awsAuthConfig.region, or AWS_REGION.`;
        return { is: 'Problem', problem };
      }
      return eksSource({ ...login, region }, { ...options, connection, namespace });
    }
    case 'Command':
      return commandSource(login, { ...options, connection, namespace });
    case 'Token':
    case 'Password':
    case 'Certificate':
    case 'InCluster':
      return { is: 'Source', token: undefined };
  }
}

type Means = ClusterTokenOptions & {
  readonly connection: ClusterConnection;
  readonly namespace: string;
};

/** Who writes a secret chooses both the cluster and the server, and a token is Okra's identity: the two have to belong together. */
function eksSource(login: EKSLogin & { readonly region: string }, means: Means): ClusterTokenSource {
  const { roleARN, externalID } = login;
  const { connection } = means;
  const scope: EKSTokenScope = login;
  const permitted = async (isLost = false): Promise<EKSEndpoint> => {
    const access = await means.access(means.namespace);
    if (roleARN !== undefined) permit(access, { of: 'Role', arn: roleARN, externalID });
    // EKS is not asked, so that nobody learns which clusters there are.
    permit(access, { of: 'NamedCluster', region: scope.region, name: scope.clusterName });
    const cluster = await clusterAt(scope, means, isLost);
    permit(access, { of: 'Cluster', arn: cluster.arn });
    return cluster;
  };
  const token: TokenSource = async (refused) => {
    await permitted();
    return await means.tokens(scope, refused);
  };
  if (namedByARN(connection.server) === undefined) return { is: 'Source', token };
  const find = async (isLost: boolean): Promise<ClusterConnection> => {
    const { endpoint = '', caData = '' } = await permitted(isLost);
    return { ...connection, server: endpoint, tls: { ...connection.tls, caData } };
  };
  return { is: 'Source', token, find };
}

// A secret that was corrected, or a cluster that was made again, is looked at again after this time.
const AGAIN_MILLISECONDS = 10_000;

async function clusterAt(
  scope: EKSTokenScope,
  { connection, endpoints, now = Date.now }: Means,
  isLost: boolean,
): Promise<EKSEndpoint> {
  const read = (since?: number): Promise<EKSEndpoint | undefined> =>
    endpoints(scope, since).catch((error: unknown) => {
      // What it says besides may name Okra's own identity, which is nothing for those who write secrets.
      const name = error instanceof Error ? error.name : 'no answer';
      const message = `cannot describe cluster ${scope.clusterName} in EKS in ${scope.region}: ${name}. No token was sent; allow eks:DescribeCluster to ${identityOf(scope)}.`;
      throw withheld('LoginFailed', message, error);
    });
  const known = isLost ? undefined : await read();
  if (known !== undefined && refuseForeignEndpoint(connection, known, decodeBase64) === undefined)
    return known;
  const found = await read(now() - AGAIN_MILLISECONDS);
  if (found === undefined) throw withheld('ForeignEndpoint', unknownCluster(scope));
  const strangeness = refuseForeignEndpoint(connection, found, decodeBase64);
  if (strangeness === undefined) return found;
  throw withheld('ForeignEndpoint', strangeness);
}

const unknownCluster = (scope: EKSTokenScope): string =>
  `cluster ${scope.clusterName} not found by EKS in ${scope.region} in the account of ${identityOf(scope)}. No token was sent; correct awsAuthConfig.clusterName or region, or set roleARN to a role in the account of the cluster.`;

const identityOf = ({ roleARN }: EKSTokenScope): string => roleARN ?? "Okra's own identity";

function commandSource(login: CommandLogin, means: Means): ClusterTokenSource {
  const { connection, execCommands, execServers, timeoutMilliseconds } = means;
  const { name, server } = connection;
  const { host } = new URL(server);
  const refusal = refusalOfCommand(login, execCommands) ?? refusalOfServer(host, execServers);
  if (refusal !== undefined) return { is: 'Problem', problem: `Cluster ${name}: ${refusal}` };
  const source = makeExecTokens(login, {
    timeoutMilliseconds,
    environment: means.execEnvironment ?? [],
  });
  const token: TokenSource = async (refused) => {
    permit(await means.access(means.namespace), { of: 'Server', host });
    return await source(refused);
  };
  return { is: 'Source', token };
}

function refusalOfServer(host: string, allowed: readonly string[]): string | undefined {
  if (allowed.some((pattern) => isLike(host, pattern))) return undefined;
  const list = allowed.length === 0 ? 'which lists none' : `which lists ${allowed.join(', ')}`;
  return `invalid data.server ${host}: must be one of OKRA_EXEC_SERVERS, ${list}, because the token of a command is where Okra runs. Add the host there, or log in by another way.`;
}

/** Keeps Okra's own identity in its own cluster from the secrets of namespaces that may not use it. */
export function permitOwn(
  send: Send,
  namespace: string,
  { access }: Pick<ClusterTokenOptions, 'access'>,
): Send {
  return async (request) => {
    permit(await access(namespace), { of: 'Server', host: new URL(IN_CLUSTER).host });
    return await send(request);
  };
}

function permit(access: Access | undefined, use: Use): void {
  const refusal = refusalOf(access, use);
  if (refusal !== undefined) throw withheld('NotAllowed', refusal);
}

const withheld = (reason: string, message: string, cause?: unknown): KubernetesError =>
  new KubernetesError({ status: 0, reason, message }, cause === undefined ? {} : { cause });

interface ExecOptions {
  readonly timeoutMilliseconds: number;
  readonly environment?: readonly string[];
  readonly now?: () => number;
}

/** Says why a command gave no token; never with what it printed, which may be one. */
class ExecError extends Error {
  override readonly name = 'ExecError';
}

const MARGIN_MILLISECONDS = 10_000;
// A token that does not say when it ends may have been withdrawn.
const KEEP_MILLISECONDS = 300_000;
const MAX_OUTPUT_BYTES = 1_000_000;

// What programs need to be found, to find their files, and to reach others. Nothing else of what okrad has been given is for a command that a secret
// names: no API key, no credentials, and not where the tokens of its service account lie.
const USUAL = (
  'PATH HOME USER LANG LC_ALL TZ TMPDIR SSL_CERT_FILE SSL_CERT_DIR ' +
  'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy'
).split(' ');

// Each is a program that shares the memory of okrad's container, and after a start the commands of all clusters are due.
const inSlot = limitConcurrency(4);

/** Makes the source of the tokens that a command prints, as kubectl's exec plugins do; each is kept until it expires. */
export function makeExecTokens(
  login: CommandLogin,
  { timeoutMilliseconds, environment = [], now = Date.now }: ExecOptions,
): TokenSource {
  return keepMade(async () => {
    const output = await inSlot(() => run(login, passedOn([...USUAL, ...environment]), timeoutMilliseconds));
    return tokenIn(login.command, output, now());
  }, now);
}

const passedOn = (names: readonly string[]) =>
  given(Object.fromEntries(names.map((name) => [name, process.env[name]])));

function run(login: CommandLogin, passed: ReturnType<typeof passedOn>, timeout: number): Promise<string> {
  const { command, args, environment, apiVersion } = login;
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const env = { ...passed, ...environment, KUBERNETES_EXEC_INFO: info };
  return new Promise((resolve, reject) => {
    const options = { env, timeout, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    execFile(command, args, options, (error, output) => {
      if (error === null) resolve(output);
      else reject(new ExecError(`cannot get an ExecCredential from ${command}: ${how(error, timeout)}.`));
    });
  });
}

function how(
  error: { readonly code?: string | number | null | undefined; readonly killed?: boolean },
  timeout: number,
): string {
  if (error.killed === true) return `no end within ${timeout / 1000} s`;
  return typeof error.code === 'string' ? error.code : `exit status ${String(error.code)}`;
}

function tokenIn(command: string, output: string, now: number): Kept<string> {
  const { token, expirationTimestamp } = fieldsIn(fieldsIn(parseJSON(output))['status']);
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ExecError(`invalid output of ${command}: must be an ExecCredential with a token.`);
  }
  const ends = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return { value: token, until: Number.isNaN(ends) ? now + KEEP_MILLISECONDS : ends - MARGIN_MILLISECONDS };
}
