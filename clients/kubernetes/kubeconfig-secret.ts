import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { currentOf, parseKubeconfig, type CurrentContext } from './kubeconfig.ts';
import type { StoredClusterSecret } from './remote-clusters.ts';

/** A Secret, as far as a kubeconfig in it matters. */
export interface StoredSecret {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** A kubeconfig as the secret of a cluster says the same, or why it cannot be followed: a sentence without a value out of it. */
export type ReadKubeconfig =
  | { readonly is: 'Cluster'; readonly secret: StoredClusterSecret }
  | { readonly is: 'Problem'; readonly problem: string };

const LONGEST_BYTES = 512_000;

/**
 * Reads the current context of a kubeconfig in a Secret. Nothing in it may name a file or a program of the machine that
 * Okra runs on: whoever writes the Secret would read the one and run the other.
 */
export function readKubeconfig({ metadata, data = {} }: StoredSecret, key: string): ReadKubeconfig {
  const problem = (text: string): ReadKubeconfig => ({
    is: 'Problem',
    problem: `Expected in Secret ${metadata.namespace}/${metadata.name} ${text}`,
  });
  const encoded = data[key];
  if (encoded === undefined) return problem(`a kubeconfig in ${key}, got none. Add it, or name another key.`);
  if (encoded.length > LONGEST_BYTES)
    return problem(`a kubeconfig of at most ${LONGEST_BYTES} bytes. Shorten it.`);
  let current: CurrentContext;
  try {
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    current = currentOf(parseKubeconfig(text, { isForeign: true }));
  } catch {
    return problem(`a kubeconfig in ${key}, got something that cannot be read as one. Correct it.`);
  }
  const { cluster, user } = current;
  if (cluster === undefined || user === undefined) {
    return problem(`a kubeconfig whose current context has a cluster and a user. Correct ${key}.`);
  }
  const elsewhere = [
    cluster.caFile,
    user.certFile,
    user.keyFile,
    user.tokenFile,
    user.exec,
    user.authProvider,
    cluster.proxyUrl,
    user.impersonateUser,
  ];
  if (elsewhere.some((one) => one !== undefined)) {
    return problem(
      `a kubeconfig that holds its certificates and its token itself, got one that names a file, a program, a provider, a proxy or another user. Write them out in ${key}.`,
    );
  }
  const login = {
    ...(user.token === undefined ? {} : { bearerToken: user.token }),
    ...(user.username === undefined ? {} : { username: user.username, password: user.password ?? '' }),
    tlsClientConfig: {
      insecure: cluster.skipTLSVerify,
      ...(cluster.caData === undefined ? {} : { caData: cluster.caData }),
      ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
      ...(user.certData === undefined ? {} : { certData: user.certData }),
      ...(user.keyData === undefined ? {} : { keyData: user.keyData }),
    },
  };
  const said = { name: metadata.name, server: cluster.server, config: JSON.stringify(login) };
  return {
    is: 'Cluster',
    secret: {
      metadata: {
        ...metadata,
        // One Secret may hold several kubeconfigs.
        uid: `${metadata.uid}/${key}`,
        labels: { [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER },
      },
      data: Object.fromEntries(
        Object.entries(said).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
      ),
    },
  };
}
