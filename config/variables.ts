import { z } from 'zod';
import { parseDuration } from '../domain/duration.ts';
import { isSelectorText } from '../domain/kubernetes/selector.ts';
import { isKey } from '../domain/text.ts';

const text = z.string();

const matching = (pattern: RegExp, expected: string) => text.regex(pattern, { error: expected });

const number = (pattern: RegExp, expected: string, range: { readonly min: number; readonly max: number }) =>
  matching(pattern, expected)
    .transform(Number)
    .refine((value) => value >= range.min && value <= range.max, { error: expected });

const wholeNumber = (what: string, min: number, max: number) =>
  number(/^\d+$/, `${what} from ${min} to ${max}`, { min, max });

const url = text.refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
  error: 'a URL such as http://127.0.0.1:4566',
});

const flag = z
  .enum(['true', 'false', '1', '0'], { error: 'true or false' })
  .transform((value) => value === 'true' || value === '1');

// A Secret that was made of a file often ends in a line break.
const key = text
  .transform((value) => value.trim())
  .refine(isKey, { error: 'a key in one line of printable ASCII', params: { isSecret: true } });

const listed = (value: string): readonly string[] => value.split(',').map((entry) => entry.trim());

const DNS_LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const namespace = matching(new RegExp(`^${DNS_LABEL}$`), 'the name of a namespace, such as okra');
const namespaces = matching(
  new RegExp(`^${DNS_LABEL}(\\s*,\\s*${DNS_LABEL})*$`),
  'names of namespaces with commas between them, such as okra,shop',
).transform(listed);

const isCommand = (entry: string): boolean =>
  entry.split(/\s/).some((word) => word !== '' && !word.includes('='));
const commands = text
  .refine((value) => listed(value).every(isCommand), {
    error:
      'commands with commas between them, such as aws eks get-token --cluster-name *,/usr/local/bin/token',
  })
  .transform((value) => listed(value).map((entry) => entry.replaceAll(/\s+/g, ' ')));

const variableNames = text
  .refine((value) => listed(value).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)), {
    error: 'names of variables with commas between them, such as AWS_CONFIG_FILE',
  })
  .transform(listed);

const hosts = matching(
  /^[^\s,/@]+(\s*,\s*[^\s,/@]+)*$/,
  'hosts, or patterns of them, with commas between them, such as *.azmk8s.io,cluster.example:6443',
).transform(listed);

const hostNames = matching(
  /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?(\s*,\s*[a-z0-9]([-.a-z0-9]*[a-z0-9])?)*$/i,
  'names of hosts with commas between them, such as okra.example.com',
).transform(listed);

const selector = text.refine(isSelectorText, { error: 'a label selector such as team=a' });

const address = matching(/^(\[[0-9a-f:]+\]|[^\s:/]+):\d{1,5}$/i, 'a host and a port, such as 127.0.0.1:7233');
const perSecond = number(/^\d+(\.\d+)?$/, 'a number from 0.01 to 1000, such as 1.5', {
  min: 0.01,
  max: 1000,
});
/** A duration of at most a day, in seconds. */
const duration = (min: number) => {
  const expected = `a duration from ${min}s to 24h, such as 90s`;
  return matching(/^(\d+|(?=\d)(\d+h)?(\d+m)?(\d+s)?)$/, expected)
    .transform(parseDuration)
    .refine((seconds) => seconds >= min && seconds <= 86_400, { error: expected });
};

const burst = wholeNumber('a whole number', 1, 1_000_000);
const port = wholeNumber('a port', 1, 65_535);

/** Every environment variable that Okra reads, with what it takes. */
export const variables = z.object({
  KUBECONFIG: text.optional(),
  AWS_REGION: matching(/^[a-z]{2,8}(-[a-z]{1,16}){1,4}-\d{1,2}$/, 'a region such as eu-central-1').optional(),
  AWS_ENDPOINT_URL: url.optional(),
  AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: url.optional(),
  AWS_ENDPOINT_URL_EKS: url.optional(),
  AWS_ENDPOINT_URL_STS: url.optional(),
  AWS_ENDPOINT_URL_CLOUDWATCH: url.optional(),
  DD_SITE: matching(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/, 'a site such as datadoghq.eu').default(
    'datadoghq.com',
  ),
  DD_API_KEY: key.optional(),
  DD_APP_KEY: key.optional(),
  OKRA_DATADOG_ENDPOINT: url.optional(),
  OKRA_DATADOG_EVENTS: flag.default(false),
  OKRA_DATADOG_QUERIES_PER_SECOND: perSecond.default(0.4),
  OKRA_DATADOG_QUERY_BURST: burst.default(40),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  TEMPORAL_ADDRESS: address.default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: text.default('default'),
  TEMPORAL_API_KEY: key.optional(),
  OKRA_TEMPORAL_API_KEY_FILE: text.optional(),
  TEMPORAL_TLS: flag.optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: text.optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: text.optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: text.optional(),
  TEMPORAL_TLS_CLIENT_CERT_DATA: text.optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: text.optional(),
  TEMPORAL_TLS_CLIENT_KEY_DATA: text.optional(),
  TEMPORAL_TLS_SERVER_NAME: text.optional(),
  OKRA_PAYLOAD_CODEC: text.optional(),
  OKRA_NOTIFICATIONS: text.optional(),
  TEMPORAL_DEPLOYMENT_NAME: matching(
    /^[^.:]{1,200}$/,
    'a name of at most 200 characters without dots and colons, such as okra',
  ).optional(),
  TEMPORAL_WORKER_BUILD_ID: matching(
    /^.{1,200}$/,
    'an id of at most 200 characters, such as v1.2.3',
  ).optional(),
  OKRA_TASK_QUEUE: text.default('okra'),
  OKRA_TEMPORAL_UI: url.optional(),
  OKRA_DOCS_URL: url.optional(),
  OKRA_WATCH_NAMESPACE: namespaces.default([]),
  OKRA_STAGED_BINDING_POLICY_SELECTOR: selector.optional(),
  OKRA_LEASE_NAMESPACE: namespace.optional(),
  OKRA_NAMESPACE: namespace.default('okra'),
  OKRA_LEASE_NAME: matching(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/, 'a name such as okra').default('okra'),
  POD_NAMESPACE: namespace.optional(),
  OKRA_IDENTITY: text.optional(),
  OKRA_WORKFLOW_BUNDLE: text.optional(),
  OKRA_DRIFT_INTERVAL: duration(1).default(60),
  OKRA_SYNC_INTERVAL: duration(1).default(60),
  OKRA_GRACE_PERIOD: duration(0).default(180),
  OKRA_ELBV2_WRITES_PER_SECOND: perSecond.default(1.5),
  OKRA_ELBV2_WRITE_BURST: burst.default(10),
  OKRA_ELBV2_REGISTRATIONS_PER_SECOND: perSecond.default(2),
  OKRA_ELBV2_REGISTRATION_BURST: burst.default(10),
  OKRA_ELBV2_READS_PER_SECOND: perSecond.default(10),
  OKRA_ELBV2_READ_BURST: burst.default(40),
  OKRA_WORKERS: wholeNumber('a whole number', 1, 1_000).default(1),
  OKRA_EXEC_COMMANDS: commands.default([]),
  OKRA_EXEC_SERVERS: hosts.default([]),
  OKRA_EXEC_ENVIRONMENT: variableNames.default([]),
  OKRA_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'one of trace, debug, info, warn, error, fatal and silent',
    })
    .default('info'),
  OKRA_TEMPORAL_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error'], {
      error: 'one of trace, debug, info, warn and error',
    })
    .default('warn'),
  OKRA_TEMPORAL_METRICS_PORT: port.optional(),
  OKRA_HEALTH_PORT: port.optional(),
  OKRA_HEALTH_HOST: text.default('127.0.0.1'),
  OKRA_DASHBOARD_PORT: port.default(8090),
  OKRA_DASHBOARD_HOST: text.default('127.0.0.1'),
  OKRA_DASHBOARD_LOGIN: flag.default(false),
  OKRA_DASHBOARD_HOSTS: hostNames.default([]),
});

export type Variables = z.output<typeof variables>;
