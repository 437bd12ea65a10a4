import { z } from 'zod';
import {
  IN_CLUSTER,
  namedByARN,
  type ClusterConnection,
  type ClusterLogin,
  type ClusterSecret,
} from '../../domain/discovery/clusters/cluster-secret.ts';
import { SECRET_TYPE_CLUSTER, SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';
import { given, parseJSON } from '../../domain/model/fields.ts';
import { withoutEnd } from '../../domain/text.ts';
import { decodeBase64 } from './base64.ts';

/** Says what is wrong with a secret; never with a value out of it. */
class Refused extends Error {
  override readonly name = 'Refused';
}

const LONGEST_TEXT = 4_096;
/** As long as one with the groups of its user may become. */
export const LONGEST_TOKEN = 64_000;
// A hundred certificates.
const LONGEST_PEM = 256_000;
const MOST_TEXTS = 100;

type Wrong = { readonly input?: unknown };

const mustBe = (what: string) => ({
  error: ({ input }: Wrong): string =>
    input === undefined ? 'must be set.' : `must be ${what}, got ${typeName(input)}.`,
});

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What is empty or null is unset, as in Argo CD. */
const set = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' || value === null ? undefined : value), schema);
const field = <Schema extends z.ZodType>(schema: Schema) => set(schema.optional());
const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape, mustBe('an object'));
const unset = (why: string) => field(z.never({ error: `must be unset, because ${why}` }));

const tooLong = (longest: number, length: number): string =>
  `must have at most ${longest} characters, got ${length}. Shorten it.`;

const text = (longest: number = LONGEST_TEXT, type: Parameters<typeof z.string>[0] = mustBe('a string')) =>
  z.string(type).refine((value) => value.length <= longest, {
    abort: true,
    error: ({ input }) => tooLong(longest, String(input).length),
  });

/** PEM that is encoded in base64 once more, and is left so. */
const pem = (what: string, begins: RegExp) =>
  field(
    text(LONGEST_PEM).refine(
      (value) => begins.test(decodeBase64(value) ?? ''),
      `must be a PEM ${what} in base64.`,
    ),
  );

const tlsConfig = part({
  certData: pem('certificate', /-----BEGIN CERTIFICATE-----/),
  keyData: pem('private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/),
  caData: pem('certificate', /-----BEGIN CERTIFICATE-----/),
  serverName: field(text().regex(/^[A-Za-z0-9][-.:_A-Za-z0-9]{0,252}$/, 'must be a host name.')),
  insecure: field(z.boolean({ error: 'must be true or false.' })),
})
  .refine(
    ({ certData, keyData }) => (certData === undefined) === (keyData === undefined),
    'must have both certData and keyData, or neither. Set both.',
  )
  .refine(
    ({ caData, insecure }) => caData === undefined || insecure !== true,
    'must not have both caData and insecure. Remove insecure.',
  );

const CLUSTER = /^[0-9A-Za-z][\w-]{0,99}$/;
const ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;
const REGION = /^[a-z]{2,8}(-[a-z]{1,16}){1,4}-\d{1,2}$/;

const eksConfig = part({
  clusterName: field(text().regex(CLUSTER, 'must be the name of an EKS cluster.')),
  roleARN: field(text().regex(ROLE, 'must be the ARN of an IAM role.')),
  externalID: field(text()),
  region: field(text().regex(REGION, 'must be a region such as eu-central-1.')),
  // It names a file of Argo CD's own pod.
  profile: unset('Okra has no profiles. Set roleARN instead.'),
}).refine(
  ({ roleARN, externalID: id }) => id === undefined || (roleARN !== undefined && EXTERNAL_ID.test(id)),
  {
    path: ['externalID'],
    error: 'must be an external ID, and needs roleARN.',
  },
);

const LIST = { error: 'must be a list of strings.' };

const commandConfig = part({
  command: set(text()),
  args: field(
    z.array(text(LONGEST_TEXT, LIST), LIST).max(MOST_TEXTS, {
      error: ({ input }) =>
        `must have at most ${MOST_TEXTS} entries, got ${String((input as unknown[]).length)}. Shorten it.`,
    }),
  ),
  env: field(
    z.record(
      z.string(),
      z.preprocess((value) => value ?? '', text()),
      mustBe('an object'),
    ),
  ),
  apiVersion: field(text()),
});

/** What Argo CD and Okra read of the `config` of a cluster; Argo CD passes over what it does not know. */
const clusterConfig = z
  .object(
    {
      // Anything else would break the header, and the error would show it.
      bearerToken: field(text(LONGEST_TOKEN).regex(/^[\x21-\x7e]+$/, 'must be a token in one line.')),
      username: field(text()),
      password: field(text()),
      proxyUrl: unset('Okra uses no proxy. Remove it.'),
      tlsClientConfig: field(tlsConfig),
      awsAuthConfig: field(eksConfig),
      execProviderConfig: field(commandConfig),
    },
    mustBe('a JSON object'),
  )
  .refine(
    ({ username, password }) => (username === undefined) === (password === undefined),
    'must have both username and password. Set both.',
  );

type ClusterConfig = z.output<typeof clusterConfig>;

function parseConfig(json: string): ClusterConfig {
  const value = parseJSON(json);
  if (value === undefined) throw new Refused('config must be JSON.');
  const { data, error } = clusterConfig.safeParse(value);
  const [wrong] = error?.issues ?? [];
  if (wrong === undefined && data !== undefined) return data;
  const path = ['config', ...(wrong?.path ?? []).filter((key) => typeof key === 'string')];
  throw new Refused(`${path.join('.')} ${wrong?.message}`);
}

/** What a secret says, or why it cannot be followed: a sentence that holds no value out of the secret. */
type ParsedClusterSecret =
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
    return { is: 'Problem', problem: `Invalid Secret ${at}: ${error.message}` };
  }
}

function connectionOf({ metadata, data = {} }: ClusterSecret): ClusterConnection {
  const type = metadata.labels?.[SECRET_TYPE_LABEL];
  if (type !== SECRET_TYPE_CLUSTER) {
    throw new Refused(
      `the label ${SECRET_TYPE_LABEL} must be ${SECRET_TYPE_CLUSTER}, got ${type ?? 'none'}. Set it, or name another Secret.`,
    );
  }
  const server = serverOf(entryOf(data, 'server'));
  const config = parseConfig(entryOf(data, 'config') ?? '{}');
  const { certData, keyData, caData, serverName, insecure = false } = config.tlsClientConfig ?? {};
  const certificate =
    certData === undefined || keyData === undefined ? undefined : { certificate: certData, key: keyData };
  const login = loginOf(config, server, certificate);
  const tls = { insecure, ...given({ caData, serverName }) };
  refuseUnverified(login, tls);
  return {
    name: entryOf(data, 'name') ?? server,
    server,
    namespaces: namespacesOf(entryOf(data, 'namespaces') ?? ''),
    tls,
    login,
    // It is shown whatever else one logs in with, as Argo CD does.
    ...given({ certificate: login.by === 'Certificate' ? undefined : certificate }),
  };
}

function loginOf(
  { bearerToken: token, username, password, awsAuthConfig, execProviderConfig }: ClusterConfig,
  server: string,
  certificate: ClusterConnection['certificate'],
): ClusterLogin {
  const ways: ClusterLogin[] = [];
  if (token !== undefined) ways.push({ by: 'Token', token });
  if (username !== undefined && password !== undefined) ways.push({ by: 'Password', username, password });
  const eks = eksLogin(awsAuthConfig, server);
  if (eks !== undefined) ways.push(eks);
  if (execProviderConfig !== undefined) {
    const {
      command,
      args = [],
      env = {},
      apiVersion = 'client.authentication.k8s.io/v1beta1',
    } = execProviderConfig;
    ways.push({ by: 'Command', command, args, environment: env, apiVersion });
  }
  const [way, another] = ways;
  if (another !== undefined) {
    const fields = ways.map(({ by }) => fieldOf[by]).join(' and ');
    throw new Refused(`config must name one way to log in, got ${fields}. Keep one of them.`);
  }
  if (way !== undefined) return way;
  if (certificate !== undefined) return { by: 'Certificate', ...certificate };
  if (server === IN_CLUSTER) return { by: 'InCluster' };
  throw new Refused(
    'config names no way to log in. Set bearerToken, username and password, tlsClientConfig.certData and keyData, awsAuthConfig or execProviderConfig.',
  );
}

const fieldOf: Readonly<Record<ClusterLogin['by'], string>> = {
  Token: 'bearerToken',
  Password: 'username',
  EKS: 'awsAuthConfig',
  Command: 'execProviderConfig',
  Certificate: 'tlsClientConfig',
  InCluster: 'server',
};

function eksLogin(written: ClusterConfig['awsAuthConfig'], server: string): ClusterLogin | undefined {
  const named = namedByARN(server);
  if (written === undefined && named === undefined) return undefined;
  const { clusterName = named?.clusterName, roleARN, externalID } = written ?? {};
  const region = written?.region ?? named?.region ?? regionOfEndpoint(server);
  if (clusterName === undefined) throw new Refused('config.awsAuthConfig.clusterName must be set.');
  if (named !== undefined && (clusterName !== named.clusterName || region !== named.region)) {
    throw new Refused(
      'config.awsAuthConfig must name the cluster and region of data.server. Remove clusterName and region.',
    );
  }
  return { by: 'EKS', clusterName, ...given({ region, roleARN, externalID }) };
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

/** Refuses to show Okra's identity to whoever answers: a token that is made for the occasion goes to a server that is verified. */
function refuseUnverified(
  { by }: ClusterLogin,
  { insecure, caData, serverName }: ClusterConnection['tls'],
): void {
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

const longest = { name: 253, server: 2_048, config: 512_000, namespaces: 16_000 } as const;

// Base64 writes three bytes as four characters, and UTF-8 a character as four bytes at most.
const LONGEST_ENCODING = 16 / 3;

function entryOf(data: Readonly<Record<string, string>>, key: keyof typeof longest): string | undefined {
  const encoded = data[key] ?? '';
  // What is far too long is not worth to be decoded.
  if (encoded.length > longest[key] * LONGEST_ENCODING + 4)
    throw new Refused(`data.${key} must have at most ${longest[key]} characters. Shorten it.`);
  const decoded = decodeBase64(encoded);
  if (decoded === undefined) throw new Refused(`data.${key} must be text in base64.`);
  if (decoded.length > longest[key])
    throw new Refused(`data.${key} ${tooLong(longest[key], decoded.length)}`);
  return decoded === '' ? undefined : decoded;
}

// Each is watched by itself.
const MOST_NAMESPACES = 100;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function namespacesOf(listed: string): readonly string[] {
  const names = listed
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
