import { resolve } from 'node:path';
import { LineCounter, parse, YAMLParseError, type ParseOptions, type ToJSOptions } from 'yaml';
import { given } from '../../domain/model/given.ts';

/** A cluster of a kubeconfig. */
export interface KubeconfigCluster {
  readonly name: string;
  /** Without a slash at its end. */
  readonly server: string;
  /** In base64; it counts before the file. */
  readonly caData?: string;
  readonly caFile?: string;
  readonly skipTLSVerify: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
}

/** A user of a kubeconfig: what to log in with. */
export interface KubeconfigUser {
  readonly name: string;
  /** In base64; it counts before the file. */
  readonly certData?: string;
  readonly certFile?: string;
  /** In base64; it counts before the file. */
  readonly keyData?: string;
  readonly keyFile?: string;
  readonly token?: string;
  /** Its token changes; it counts before the token. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly impersonateUser?: string;
  /** A program that logs in. */
  readonly exec?: object;
  readonly authProvider?: object;
}

/** A context of a kubeconfig: who is meant where. */
export interface KubeconfigContext {
  readonly name: string;
  readonly cluster: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** What kubeconfig files say. */
export interface Kubeconfig {
  readonly clusters: readonly KubeconfigCluster[];
  readonly users: readonly KubeconfigUser[];
  readonly contexts: readonly KubeconfigContext[];
  readonly currentContext?: string;
}

/** The current context, and what it names; undefined where there is no such thing. */
export interface CurrentContext {
  readonly context: KubeconfigContext | undefined;
  readonly cluster: KubeconfigCluster | undefined;
  readonly user: KubeconfigUser | undefined;
}

/** Finds what the current context of a kubeconfig names. */
export function currentOf({ clusters, users, contexts, currentContext }: Kubeconfig): CurrentContext {
  const context = contexts.find(({ name }) => name === currentContext);
  return {
    context,
    cluster: clusters.find(({ name }) => name === context?.cluster),
    user: users.find(({ name }) => name === context?.user),
  };
}

/** Where the text of a kubeconfig is from. */
export interface KubeconfigOrigin {
  /** The folder that paths in it begin in. */
  readonly folder?: string;
  /** Whether anybody may have written it. What takes time by the square of its length is left out then: aliases, and the search for keys that stand twice. */
  readonly isForeign?: boolean;
}

/** Reads the text of a kubeconfig; throws where it is none. It reads no other file. */
export function parseKubeconfig(
  yaml: string,
  { folder = '', isForeign = false }: KubeconfigOrigin = {},
): Kubeconfig {
  const said = parsed(yaml, isForeign ? { uniqueKeys: false, maxAliasCount: 0 } : {});
  if (!isFields(said)) throw new TypeError('not a kubeconfig');
  const file = (from: Fields, key: string): string | undefined => {
    const path = textIn(from, key);
    return path === undefined || folder === '' ? path : resolve(folder, path);
  };
  return {
    clusters: entriesIn(said, 'clusters', 'cluster').map(([name, from]) => clusterOf(name, from, file)),
    users: entriesIn(said, 'users', 'user').map(([name, from]) => userOf(name, from, file)),
    contexts: entriesIn(said, 'contexts', 'context').map(([name, from]) => ({
      name,
      cluster: requiredIn(from, 'cluster', `the context ${name}`),
      ...given({ user: textIn(from, 'user'), namespace: textIn(from, 'namespace') }),
    })),
    ...given({ currentContext: textIn(said, 'current-context') }),
  };
}

/** Reads YAML, without the errors of the parser and its warnings on standard error: they would quote the text, which may contain a token. */
function parsed(yaml: string, limits: ParseOptions & ToJSOptions): unknown {
  const lineCounter = new LineCounter();
  let at = '';
  try {
    return parse(yaml, { lineCounter, logLevel: 'error', prettyErrors: false, ...limits });
  } catch (error) {
    if (error instanceof YAMLParseError)
      at = ` in line ${lineCounter.linePos(error.pos[0]).line} (${error.code})`;
  }
  throw new TypeError(`something other than YAML${at}`);
}

type Fields = Readonly<Record<string, unknown>>;
type FileIn = (from: Fields, key: string) => string | undefined;

const clusterOf = (name: string, from: Fields, file: FileIn): KubeconfigCluster => ({
  name,
  server: requiredIn(from, 'server', `the cluster ${name}`).replace(/\/$/, ''),
  skipTLSVerify: from['insecure-skip-tls-verify'] === true,
  ...given({
    caData: textIn(from, 'certificate-authority-data'),
    caFile: file(from, 'certificate-authority'),
    tlsServerName: textIn(from, 'tls-server-name'),
    proxyUrl: textIn(from, 'proxy-url'),
  }),
});

const userOf = (name: string, from: Fields, file: FileIn): KubeconfigUser => ({
  name,
  ...given({
    certData: textIn(from, 'client-certificate-data'),
    certFile: file(from, 'client-certificate'),
    keyData: textIn(from, 'client-key-data'),
    keyFile: file(from, 'client-key'),
    token: textIn(from, 'token'),
    tokenFile: file(from, 'tokenFile') ?? file(from, 'token-file'),
    username: textIn(from, 'username'),
    password: textIn(from, 'password'),
    impersonateUser: textIn(from, 'as'),
    exec: fieldsIn(from, 'exec'),
    authProvider: fieldsIn(from, 'auth-provider'),
  }),
});

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function entriesIn(said: Fields, list: string, key: string): readonly (readonly [string, Fields])[] {
  const entries: unknown = said[list];
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: unknown) => {
    if (!isFields(entry)) throw new TypeError(`an entry of ${list} that is none`);
    return [requiredIn(entry, 'name', `an entry of ${list}`), fieldsIn(entry, key) ?? {}];
  });
}

const fieldsIn = (from: Fields, key: string): Fields | undefined => {
  const value = from[key];
  return isFields(value) ? value : undefined;
};

const textIn = (from: Fields, key: string): string | undefined => {
  const value = from[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function requiredIn(from: Fields, key: string, of: string): string {
  const value = textIn(from, key);
  if (value === undefined) throw new TypeError(`${of} lacks its ${key}`);
  return value;
}
