import { parse } from 'yaml';
import { z } from 'zod';
import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { given } from '../../domain/model/fields.ts';
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
type ReadKubeconfig =
  | { readonly is: 'Cluster'; readonly secret: StoredClusterSecret }
  | { readonly is: 'Problem'; readonly problem: string };

const LONGEST_CHARACTERS = 512_000;

const text = z.string().optional();
// What else there may be names a file or a program of the machine that Okra runs on, a proxy or another user.
const Cluster = z.strictObject({
  server: z.string(),
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': z.boolean().optional(),
  'disable-compression': z.unknown().optional(),
  extensions: z.unknown().optional(),
});
const User = z.strictObject({
  token: text,
  username: text,
  password: text,
  'client-certificate-data': text,
  'client-key-data': text,
  extensions: z.unknown().optional(),
});
const Kubeconfig = z.object({
  clusters: z.array(z.object({ name: z.string(), cluster: z.unknown() })).default([]),
  users: z.array(z.object({ name: z.string(), user: z.unknown() })).default([]),
  contexts: z
    .array(z.object({ name: z.string(), context: z.object({ cluster: text, user: text }) }))
    .default([]),
  'current-context': text,
});

/** Reads the current context of a kubeconfig in a Secret; not by client-node, which reads the pod's files and runs programs that it names. */
export function readKubeconfig({ metadata, data = {} }: StoredSecret, key: string): ReadKubeconfig {
  const problem = (is: string): ReadKubeconfig => ({
    is: 'Problem',
    problem: `invalid ${key} in Secret ${metadata.namespace}/${metadata.name}: ${is}`,
  });
  const encoded = data[key];
  if (encoded === undefined) return problem('not found. Add it, or name another key.');
  if (encoded.length > LONGEST_CHARACTERS)
    return problem(`must be at most ${LONGEST_CHARACTERS} characters. Shorten it.`);
  const kubeconfig = Kubeconfig.safeParse(parsedYAML(Buffer.from(encoded, 'base64').toString('utf8')));
  if (!kubeconfig.success) return problem('must be a kubeconfig. Correct it.');
  const { clusters, users, contexts, 'current-context': current } = kubeconfig.data;
  const context = contexts.find(({ name }) => name === current)?.context;
  const cluster = clusters.find(({ name }) => name === context?.cluster);
  const user = users.find(({ name }) => name === context?.user);
  if (cluster === undefined || user === undefined)
    return problem('must have a current context with a cluster and a user. Correct it.');
  const [server, login] = [Cluster.safeParse(cluster.cluster), User.safeParse(user.user ?? {})];
  if (!server.success || !login.success)
    return problem(
      'must hold its certificates and its token itself, and names a file, a program, a provider, a proxy or another user. Write them out.',
    );
  return { is: 'Cluster', secret: clusterSecretOf(metadata, key, { ...server.data, ...login.data }) };
}

/** Reads YAML without what takes time by the square of its length: aliases, and the search for repeated keys. */
function parsedYAML(yaml: string): unknown {
  try {
    return parse(yaml, { uniqueKeys: false, maxAliasCount: 0, logLevel: 'error', prettyErrors: false });
  } catch {
    return undefined;
  }
}

type Connection = z.output<typeof Cluster> & z.output<typeof User>;

function clusterSecretOf(
  metadata: StoredSecret['metadata'],
  key: string,
  { server, token, username, password = '', ...tls }: Connection,
): StoredClusterSecret {
  const config = {
    ...given({ bearerToken: token }),
    ...(username === undefined ? {} : { username, password }),
    tlsClientConfig: {
      insecure: tls['insecure-skip-tls-verify'] === true,
      ...given({
        caData: tls['certificate-authority-data'],
        serverName: tls['tls-server-name'],
        certData: tls['client-certificate-data'],
        keyData: tls['client-key-data'],
      }),
    },
  };
  const written = { name: metadata.name, server, config: JSON.stringify(config) };
  return {
    // One Secret may hold several kubeconfigs.
    metadata: {
      ...metadata,
      uid: `${metadata.uid}/${key}`,
      labels: { [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER },
    },
    data: Object.fromEntries(
      Object.entries(written).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
  };
}
