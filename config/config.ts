import { randomUUID } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { describeIssue, problemsAmong, unreadAmong, type Environment } from './problems.ts';
import { variables, type Variables } from './variables.ts';
import { given } from '../domain/model/fields.ts';

/** How much is logged. */
export type LogLevel = Variables['OKRA_LOG_LEVEL'];

/** A certificate, a private key or an API key: the path of its file, or its content. */
export type Credential = { readonly path: string } | { readonly data: string };

/** How the connection to Temporal is encrypted. */
export interface TemporalTls {
  readonly serverName?: string;
  readonly serverCa?: Credential;
  readonly client?: { readonly certificate: Credential; readonly key: Credential };
}

/** Where Temporal is, and how it lets one in. */
export interface TemporalConfig {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: Credential;
  /** Undefined: not encrypted. */
  readonly tls?: TemporalTls;
  /** The path of the module that encodes all that Temporal is told; undefined: it is told in plain text. */
  readonly codec?: string;
}

/** How fast calls of a kind may be sent. */
export interface CallRate {
  readonly perSecond: number;
  /** How many may be sent at once after a rest. */
  readonly burst: number;
}

/** How Datadog is reached when a Check names no keys, and for events. */
export interface DatadogConfig {
  readonly site: Variables['DD_SITE'];
  readonly apiKey?: string;
  readonly appKey?: string;
  /** The address of a stand-in or a proxy; undefined: that of the site. */
  readonly endpoint?: string;
  /** Whether rollouts are told as events. */
  readonly events: boolean;
  /** Queries of one organisation, by this process. */
  readonly queries: CallRate;
}

/** All that can be set from outside. */
export interface Config {
  readonly kubernetes: {
    /** Kubeconfig files as `KUBECONFIG` lists them; undefined: what is usual. */
    readonly kubeconfig?: string;
    /** Empty: all namespaces. */
    readonly watchNamespaces: readonly string[];
  };
  readonly aws: {
    readonly region?: string;
    readonly elbv2Endpoint?: string;
    readonly eksEndpoint?: string;
    readonly stsEndpoint?: string;
    readonly cloudWatchEndpoint?: string;
  };
  readonly datadog: DatadogConfig;
  /** The commands that a cluster's secret may have run to log in, with their arguments. */
  readonly execCommands: readonly string[];
  /** The hosts that the tokens of these commands may go to, or patterns of them. */
  readonly execServers: readonly string[];
  /** The variables that these see beside the usual ones. */
  readonly execEnvironment: readonly string[];
  readonly temporal: TemporalConfig;
  /** Where traces are sent to, by OTLP over HTTP; undefined: nowhere. */
  readonly tracesEndpoint?: string;
  /** The version of the worker by which Temporal gives it work; undefined: each worker takes all. */
  readonly deployment?: { readonly deploymentName: string; readonly buildId: string };
  readonly taskQueue: string;
  /** Where the Web UI of Temporal is, for links to it. */
  readonly temporalUi?: string;
  /** The labels of the StagedBindingPolicies to look after, empty: all; undefined: none. */
  readonly stagedSelector?: string;
  /** Where calls to ELBv2 run, apart from all others, so that they can be slowed down. */
  readonly elbv2TaskQueue: string;
  readonly elbv2: {
    /** What modifies rules, listeners and target groups, by this process. */
    readonly writes: CallRate;
    /** What registers targets, by this process. */
    readonly registrations: CallRate;
    /** What reads, by this process. */
    readonly reads: CallRate;
  };
  readonly lease: { readonly namespace: string; readonly name: string };
  /** What this process is called by others: in the lease, and as a Temporal worker. */
  readonly identity: string;
  /** The path of workflow code that was bundled beforehand; undefined: the package's own, or it is bundled at start. */
  readonly workflowBundle?: string;
  readonly driftIntervalSeconds: number;
  readonly syncIntervalSeconds: number;
  /** How long clusters that are missing keep what they had. */
  readonly graceSeconds: number;
  readonly logLevel: LogLevel;
  /** How the native code of the Temporal SDK tells of itself. */
  readonly temporalTelemetry: {
    readonly level: Variables['OKRA_TEMPORAL_LOG_LEVEL'];
    /** Where its metrics are told; undefined: nowhere. */
    readonly metrics?: { readonly host: string; readonly port: number };
  };
  /** Where health is told; undefined: nowhere. */
  readonly health?: { readonly host: string; readonly port: number };
  /** Where the dashboard is served, whether one logs in there, and by which names it may be asked. */
  readonly dashboard: {
    readonly host: string;
    readonly port: number;
    readonly login: boolean;
    readonly hosts: readonly string[];
  };
}

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

/** The variables that bear Okra's name and that nobody reads, as those that are misspelt. */
export const unreadVariables = (environment: Environment = process.env): readonly string[] =>
  unreadAmong(environment, variables.shape);

// With the host's network pods of one node have one host name, and in a container every process has the same id.
const ownName = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;

function arrange(from: Variables): Config {
  return {
    kubernetes: { ...given({ kubeconfig: from.KUBECONFIG }), watchNamespaces: from.OKRA_WATCH_NAMESPACE },
    aws: given({
      region: from.AWS_REGION,
      elbv2Endpoint: from.AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2 ?? from.AWS_ENDPOINT_URL,
      eksEndpoint: from.AWS_ENDPOINT_URL_EKS ?? from.AWS_ENDPOINT_URL,
      stsEndpoint: from.AWS_ENDPOINT_URL_STS ?? from.AWS_ENDPOINT_URL,
      cloudWatchEndpoint: from.AWS_ENDPOINT_URL_CLOUDWATCH ?? from.AWS_ENDPOINT_URL,
    }),
    datadog: datadogOf(from),
    execCommands: from.OKRA_EXEC_COMMANDS,
    execServers: from.OKRA_EXEC_SERVERS,
    execEnvironment: from.OKRA_EXEC_ENVIRONMENT,
    temporal: temporalOf(from),
    taskQueue: from.OKRA_TASK_QUEUE,
    elbv2TaskQueue: `${from.OKRA_TASK_QUEUE}-elbv2`,
    elbv2: ratesOf(from),
    lease: {
      namespace: from.OKRA_LEASE_NAMESPACE ?? from.POD_NAMESPACE ?? 'default',
      name: from.OKRA_LEASE_NAME,
    },
    identity: from.OKRA_IDENTITY ?? ownName,
    driftIntervalSeconds: from.OKRA_DRIFT_INTERVAL,
    syncIntervalSeconds: from.OKRA_SYNC_INTERVAL,
    graceSeconds: from.OKRA_GRACE_PERIOD,
    logLevel: from.OKRA_LOG_LEVEL,
    dashboard: {
      host: hostToListenOn(from.OKRA_DASHBOARD_HOST),
      port: from.OKRA_DASHBOARD_PORT,
      login: from.OKRA_DASHBOARD_LOGIN,
      hosts: from.OKRA_DASHBOARD_HOSTS,
    },
    temporalTelemetry: {
      level: from.OKRA_TEMPORAL_LOG_LEVEL,
      ...given({ metrics: bound(from.OKRA_HEALTH_HOST, from.OKRA_TEMPORAL_METRICS_PORT) }),
    },
    ...given({
      // They belong to no namespace: who looks after some namespaces looks after those that are named.
      stagedSelector:
        from.OKRA_STAGED_BINDING_POLICY_SELECTOR ?? (from.OKRA_WATCH_NAMESPACE.length === 0 ? '' : undefined),
      workflowBundle: from.OKRA_WORKFLOW_BUNDLE,
      deployment: deploymentOf(from),
      tracesEndpoint: from.OTEL_EXPORTER_OTLP_ENDPOINT,
      temporalUi: from.OKRA_TEMPORAL_UI,
      health: bound(from.OKRA_HEALTH_HOST, from.OKRA_HEALTH_PORT),
    }),
  };
}

type Interfaces = Readonly<Record<string, readonly { readonly family: string }[] | undefined>>;

/** Gives the address to listen on: `::` is every address, also on a machine without IPv6. */
export function hostToListenOn(host: string, interfaces: Interfaces = networkInterfaces()): string {
  const families = Object.values(interfaces).flatMap((some = []) => some.map(({ family }) => family));
  return host === '::' && !families.includes('IPv6') ? '0.0.0.0' : host;
}

const bound = (host: string, port: number | undefined): Config['health'] =>
  port === undefined ? undefined : { host: hostToListenOn(host), port };

const datadogOf = (from: Variables): DatadogConfig => ({
  site: from.DD_SITE,
  events: from.OKRA_DATADOG_EVENTS,
  queries: shareOf(from, {
    perSecond: from.OKRA_DATADOG_QUERIES_PER_SECOND,
    burst: from.OKRA_DATADOG_QUERY_BURST,
  }),
  ...given({
    apiKey: from.DD_API_KEY,
    appKey: from.DD_APP_KEY,
    endpoint: from.OKRA_DATADOG_ENDPOINT,
  }),
});

/** Divides a rate of the account by the workers. */
const shareOf = ({ OKRA_WORKERS: workers }: Variables, { perSecond, burst }: CallRate): CallRate => ({
  perSecond: perSecond / workers,
  burst: Math.max(1, Math.floor(burst / workers)),
});

const ratesOf = (from: Variables): Config['elbv2'] => ({
  writes: shareOf(from, {
    perSecond: from.OKRA_ELBV2_WRITES_PER_SECOND,
    burst: from.OKRA_ELBV2_WRITE_BURST,
  }),
  registrations: shareOf(from, {
    perSecond: from.OKRA_ELBV2_REGISTRATIONS_PER_SECOND,
    burst: from.OKRA_ELBV2_REGISTRATION_BURST,
  }),
  reads: { perSecond: from.OKRA_ELBV2_READS_PER_SECOND, burst: from.OKRA_ELBV2_READ_BURST },
});

function temporalOf(from: Variables): TemporalConfig {
  const tls = given({
    serverName: from.TEMPORAL_TLS_SERVER_NAME,
    serverCa: credential(from.TEMPORAL_TLS_SERVER_CA_CERT_PATH, from.TEMPORAL_TLS_SERVER_CA_CERT_DATA),
    client: clientPair(from),
  });
  const apiKey = credential(from.OKRA_TEMPORAL_API_KEY_FILE, from.TEMPORAL_API_KEY);
  // As the Temporal CLI does it: an API key or a certificate asks for encryption, unless it is refused.
  const wanted = from.TEMPORAL_TLS ?? (apiKey !== undefined || Object.keys(tls).length > 0);
  return {
    address: from.TEMPORAL_ADDRESS,
    namespace: from.TEMPORAL_NAMESPACE,
    ...given({ apiKey, tls: wanted ? tls : undefined, codec: from.OKRA_PAYLOAD_CODEC }),
  };
}

function deploymentOf(from: Variables): Config['deployment'] {
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: buildId } = from;
  return deploymentName === undefined || buildId === undefined ? undefined : { deploymentName, buildId };
}

function clientPair(from: Variables): TemporalTls['client'] {
  const certificate = credential(from.TEMPORAL_TLS_CLIENT_CERT_PATH, from.TEMPORAL_TLS_CLIENT_CERT_DATA);
  const key = credential(from.TEMPORAL_TLS_CLIENT_KEY_PATH, from.TEMPORAL_TLS_CLIENT_KEY_DATA);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function credential(path: string | undefined, data: string | undefined): Credential | undefined {
  if (path !== undefined) return { path };
  return data === undefined ? undefined : { data };
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part);
  return Object.freeze(value);
}
