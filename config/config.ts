import { randomUUID } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import type { z } from 'zod';
import { given } from '../domain/model/fields.ts';
import { variables, type Variables } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Config = ReturnType<typeof arrange>;

/** Where Temporal is, and how it lets one in. */
export type TemporalConfig = ReturnType<typeof temporalOf>;

/** A certificate, a private key or an API key: the path of its file, or its content. */
export type Credential = { readonly path: string } | { readonly data: string };

/** Says all that is wrong with the environment. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The environment cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Reads the configuration from environment variables; throws a ConfigError that lists every problem. */
export function loadConfig(environment: Environment = process.env): Config {
  // An empty variable is one that was not set, as charts and shells make them.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(set);
  const problems = parsed.success ? [] : parsed.error.issues.map((issue) => describeIssue(issue, set));
  problems.push(...problemsAmong(set));
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return freeze(arrange(parsed.data));
}

function describeIssue(issue: z.core.$ZodIssue, environment: Environment): string {
  const name = String(issue.path[0]);
  const isSecret = issue.code === 'custom' && issue.params?.['isSecret'] === true;
  const got = isSecret ? 'something else' : JSON.stringify(environment[name]);
  return `invalid ${name}: must be ${issue.message}, not ${got}. Correct or unset it.`;
}

/** The variables that bear Okra's name and that nobody reads, as those that are misspelt. */
export const unreadVariables = (environment: Environment = process.env): readonly string[] =>
  Object.keys(environment).filter(
    (name) => name.startsWith('OKRA_') && !Object.hasOwn(variables.shape, name) && !isOfOthers(name),
  );

/** Whether a variable is one of a codec of payloads, or one that Kubernetes sets for a Service. */
const isOfOthers = (name: string): boolean =>
  name.startsWith('OKRA_CODEC_') || name.endsWith('_PORT') || /_SERVICE_HOST|_SERVICE_PORT|_PORT_/.test(name);

// With the host's network pods of one node have one host name, and in a container every process has the same id.
const ownName = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;

function arrange(from: Variables) {
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: buildId } = from;
  return {
    kubernetes: {
      /** Kubeconfig files as `KUBECONFIG` lists them; undefined: what is usual. */
      ...given({ kubeconfig: from.KUBECONFIG }),
      /** Empty: all namespaces. */
      watchNamespaces: from.OKRA_WATCH_NAMESPACE,
    },
    aws: given({
      region: from.AWS_REGION,
      elbv2Endpoint: from.AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2 ?? from.AWS_ENDPOINT_URL,
      eksEndpoint: from.AWS_ENDPOINT_URL_EKS ?? from.AWS_ENDPOINT_URL,
      stsEndpoint: from.AWS_ENDPOINT_URL_STS ?? from.AWS_ENDPOINT_URL,
      cloudWatchEndpoint: from.AWS_ENDPOINT_URL_CLOUDWATCH ?? from.AWS_ENDPOINT_URL,
    }),
    /** How Datadog is reached when a Check names no keys, and for events. */
    datadog: {
      site: from.DD_SITE,
      events: from.OKRA_DATADOG_EVENTS,
      /** Queries of one organisation, by this process. */
      queries: shareOf(from, from.OKRA_DATADOG_QUERIES_PER_SECOND, from.OKRA_DATADOG_QUERY_BURST),
      ...given({
        apiKey: from.DD_API_KEY,
        appKey: from.DD_APP_KEY,
        /** The address of a stand-in or a proxy; undefined: that of the site. */
        endpoint: from.OKRA_DATADOG_ENDPOINT,
      }),
    },
    /** The commands that a cluster's secret may have run to log in, with their arguments. */
    execCommands: from.OKRA_EXEC_COMMANDS,
    /** The hosts that the tokens of these commands may go to, or patterns of them. */
    execServers: from.OKRA_EXEC_SERVERS,
    /** The variables that these see beside the usual ones. */
    execEnvironment: from.OKRA_EXEC_ENVIRONMENT,
    temporal: temporalOf(from),
    taskQueue: from.OKRA_TASK_QUEUE,
    /** Where calls to ELBv2 run, apart from all others, so that they can be slowed down. */
    elbv2TaskQueue: `${from.OKRA_TASK_QUEUE}-elbv2`,
    /** How fast this process may call ELBv2. */
    elbv2: {
      writes: shareOf(from, from.OKRA_ELBV2_WRITES_PER_SECOND, from.OKRA_ELBV2_WRITE_BURST),
      registrations: shareOf(
        from,
        from.OKRA_ELBV2_REGISTRATIONS_PER_SECOND,
        from.OKRA_ELBV2_REGISTRATION_BURST,
      ),
      reads: { perSecond: from.OKRA_ELBV2_READS_PER_SECOND, burst: from.OKRA_ELBV2_READ_BURST },
    },
    lease: {
      namespace: from.OKRA_LEASE_NAMESPACE ?? from.POD_NAMESPACE ?? 'default',
      name: from.OKRA_LEASE_NAME,
    },
    /** Where Okra is installed, for those who look for it there. */
    okraNamespace: from.OKRA_NAMESPACE,
    /** What this process is called by others: in the lease, and as a Temporal worker. */
    identity: from.OKRA_IDENTITY ?? ownName,
    driftIntervalSeconds: from.OKRA_DRIFT_INTERVAL,
    syncIntervalSeconds: from.OKRA_SYNC_INTERVAL,
    /** How long clusters that are missing keep what they had. */
    graceSeconds: from.OKRA_GRACE_PERIOD,
    logLevel: from.OKRA_LOG_LEVEL,
    dashboard: {
      host: hostToListenOn(from.OKRA_DASHBOARD_HOST),
      port: from.OKRA_DASHBOARD_PORT,
      login: from.OKRA_DASHBOARD_LOGIN,
      /** The names besides those of the own machine by which it may be asked. */
      hosts: from.OKRA_DASHBOARD_HOSTS,
    },
    /** How the native code of the Temporal SDK logs, and where it serves its metrics. */
    temporalTelemetry: {
      level: from.OKRA_TEMPORAL_LOG_LEVEL,
      ...given({ metrics: bound(from.OKRA_HEALTH_HOST, from.OKRA_TEMPORAL_METRICS_PORT) }),
    },
    ...given({
      /** The labels of the StagedBindingPolicies to look after, empty: all; undefined: none. */
      // They belong to no namespace: who looks after some namespaces looks after those that are named.
      stagedSelector:
        from.OKRA_STAGED_BINDING_POLICY_SELECTOR ?? (from.OKRA_WATCH_NAMESPACE.length === 0 ? '' : undefined),
      workflowBundle: from.OKRA_WORKFLOW_BUNDLE,
      /** The version of the worker by which Temporal gives it work; undefined: each worker takes all. */
      deployment: deploymentName && buildId ? { deploymentName, buildId } : undefined,
      tracesEndpoint: from.OTEL_EXPORTER_OTLP_ENDPOINT,
      temporalUi: from.OKRA_TEMPORAL_UI,
      docsUrl: from.OKRA_DOCS_URL,
      /** The file that says who is notified of what. */
      notifications: from.OKRA_NOTIFICATIONS,
      health: bound(from.OKRA_HEALTH_HOST, from.OKRA_HEALTH_PORT),
    }),
  };
}

/** What activities are made with besides clients. */
export const settingsOfActivities = (config: Config) => ({
  watchNamespaces: config.kubernetes.watchNamespaces,
  ...config.aws,
  datadog: config.datadog,
  taskQueue: config.taskQueue,
  intervals: { drift: config.driftIntervalSeconds, sync: config.syncIntervalSeconds },
  graceSeconds: config.graceSeconds,
});

type Interfaces = Readonly<Record<string, readonly { readonly family: string }[] | undefined>>;

/** Gives the address to listen on: `::` is every address, also on a machine without IPv6. */
export function hostToListenOn(host: string, interfaces: Interfaces = networkInterfaces()): string {
  const families = Object.values(interfaces).flatMap((some = []) => some.map(({ family }) => family));
  return host === '::' && !families.includes('IPv6') ? '0.0.0.0' : host;
}

const bound = (host: string, port: number | undefined) =>
  port === undefined ? undefined : { host: hostToListenOn(host), port };

/** Divides a rate of the account by the workers. */
const shareOf = ({ OKRA_WORKERS: workers }: Variables, perSecond: number, burst: number) => ({
  perSecond: perSecond / workers,
  burst: Math.max(1, Math.floor(burst / workers)),
});

function temporalOf(from: Variables) {
  const pem = (name: (typeof pems)[number]) =>
    credential(from[`TEMPORAL_TLS_${name}_PATH`], from[`TEMPORAL_TLS_${name}_DATA`]);
  const [certificate, key] = [pem('CLIENT_CERT'), pem('CLIENT_KEY')];
  const tls = given({
    serverName: from.TEMPORAL_TLS_SERVER_NAME,
    serverCa: pem('SERVER_CA_CERT'),
    client: certificate && key && { certificate, key },
  });
  const apiKey = credential(from.OKRA_TEMPORAL_API_KEY_FILE, from.TEMPORAL_API_KEY);
  // As the Temporal CLI does it: an API key or a certificate asks for encryption, unless it is refused.
  const wanted = from.TEMPORAL_TLS ?? (apiKey !== undefined || Object.keys(tls).length > 0);
  return {
    address: from.TEMPORAL_ADDRESS,
    namespace: from.TEMPORAL_NAMESPACE,
    ...given({
      apiKey,
      /** Undefined: not encrypted. */
      tls: wanted ? tls : undefined,
      /** The path of the module that encodes all that Temporal stores; undefined: plain text. */
      codec: from.OKRA_PAYLOAD_CODEC,
    }),
  };
}

function credential(path: string | undefined, data: string | undefined): Credential | undefined {
  if (path !== undefined) return { path };
  return data === undefined ? undefined : { data };
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part);
  return Object.freeze(value);
}

const pems = ['SERVER_CA_CERT', 'CLIENT_CERT', 'CLIENT_KEY'] as const;

const either: readonly (readonly [string, string])[] = [
  ...pems.map((name) => [`TEMPORAL_TLS_${name}_PATH`, `TEMPORAL_TLS_${name}_DATA`] as const),
  ['TEMPORAL_API_KEY', 'OKRA_TEMPORAL_API_KEY_FILE'],
];

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

function problemsAmong(environment: Environment): readonly string[] {
  const isSet = (name: string) => environment[name] !== undefined;
  const hasPem = (name: (typeof pems)[number]) =>
    isSet(`TEMPORAL_TLS_${name}_PATH`) || isSet(`TEMPORAL_TLS_${name}_DATA`);
  const { OKRA_DASHBOARD_HOST: host = '127.0.0.1', OKRA_DASHBOARD_LOGIN: login = '' } = environment;
  const problems = either
    .filter((names) => names.every(isSet))
    .map(([one, other]) => `${one} and ${other} are both set. Unset one.`);
  if (hasPem('CLIENT_CERT') !== hasPem('CLIENT_KEY'))
    problems.push(
      'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) must be set together. Set both.',
    );
  if (isSet('TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'))
    problems.push(
      'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION must not be set: hosts are always verified. Set TEMPORAL_TLS_SERVER_NAME to the name in the certificate.',
    );
  if (isSet('TEMPORAL_DEPLOYMENT_NAME') !== isSet('TEMPORAL_WORKER_BUILD_ID'))
    problems.push(
      'TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID must be set together. Set both, or none.',
    );
  if (!LOOPBACK.has(host) && !['true', '1'].includes(login))
    problems.push(
      `invalid OKRA_DASHBOARD_HOST: must be 127.0.0.1 without a login, not ${JSON.stringify(host)}. Unset it, or set OKRA_DASHBOARD_LOGIN to true.`,
    );
  return problems;
}
