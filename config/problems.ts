import type { z } from 'zod';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Says which variable cannot be used, and what it should be; a secret is not repeated. */
export function describeIssue(issue: z.core.$ZodIssue, environment: Environment): string {
  const name = String(issue.path[0]);
  const isSecret = issue.code === 'custom' && issue.params?.['isSecret'] === true;
  const got = isSecret ? 'something else' : JSON.stringify(environment[name]);
  return `Expected ${name} to be ${issue.message}, got ${got}. Correct or unset it.`;
}

/** Finds the variables that bear Okra's name and are none of those that are read. */
export const unreadAmong = (environment: Environment, read: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(environment).filter(
    (name) => name.startsWith('OKRA_') && !Object.hasOwn(read, name) && !isOfOthers(name),
  );

/** Whether a variable is one of a codec of payloads, or one that Kubernetes sets for a Service. */
const isOfOthers = (name: string): boolean =>
  name.startsWith('OKRA_CODEC_') ||
  name.endsWith('_PORT') ||
  ['_SERVICE_HOST', '_SERVICE_PORT', '_PORT_'].some((part) => name.includes(part));

/** Says which variables do not go together. */
export const problemsAmong = (environment: Environment): readonly string[] => [
  ...tlsProblems(environment),
  ...apiKeyProblems(environment),
  ...deploymentProblems(environment),
  ...dashboardProblems(environment),
];

const pems = ['SERVER_CA_CERT', 'CLIENT_CERT', 'CLIENT_KEY'] as const;

function tlsProblems(environment: Environment): string[] {
  const given = (name: string) => environment[`TEMPORAL_TLS_${name}`] !== undefined;
  const has = (name: string) => given(`${name}_PATH`) || given(`${name}_DATA`);
  const problems = pems
    .filter((name) => given(`${name}_PATH`) && given(`${name}_DATA`))
    .map(
      (name) =>
        `Expected one of TEMPORAL_TLS_${name}_PATH and TEMPORAL_TLS_${name}_DATA, got both. Unset one.`,
    );
  if (has('CLIENT_CERT') !== has('CLIENT_KEY')) {
    problems.push(
      'Expected TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH (or _DATA) together, got one of them. Set both.',
    );
  }
  if (given('DISABLE_HOST_VERIFICATION')) {
    problems.push(
      'Expected TEMPORAL_TLS_DISABLE_HOST_VERIFICATION to be unset, because hosts are always verified. Set TEMPORAL_TLS_SERVER_NAME to the name in the certificate.',
    );
  }
  return problems;
}

function apiKeyProblems({ TEMPORAL_API_KEY, OKRA_TEMPORAL_API_KEY_FILE }: Environment): string[] {
  if (TEMPORAL_API_KEY === undefined || OKRA_TEMPORAL_API_KEY_FILE === undefined) return [];
  return ['Expected one of TEMPORAL_API_KEY and OKRA_TEMPORAL_API_KEY_FILE, got both. Unset one.'];
}

function deploymentProblems({ TEMPORAL_DEPLOYMENT_NAME, TEMPORAL_WORKER_BUILD_ID }: Environment): string[] {
  if ((TEMPORAL_DEPLOYMENT_NAME === undefined) === (TEMPORAL_WORKER_BUILD_ID === undefined)) return [];
  return [
    'Expected TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID together, got one of them. Set both, or none.',
  ];
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

function dashboardProblems({ OKRA_DASHBOARD_HOST, OKRA_DASHBOARD_LOGIN = '' }: Environment): string[] {
  if (OKRA_DASHBOARD_HOST === undefined || LOOPBACK.has(OKRA_DASHBOARD_HOST)) return [];
  if (['true', '1'].includes(OKRA_DASHBOARD_LOGIN)) return [];
  return [
    `Expected OKRA_DASHBOARD_HOST to be 127.0.0.1 while nobody has to log in, got ${JSON.stringify(OKRA_DASHBOARD_HOST)}. Unset it, or set OKRA_DASHBOARD_LOGIN to true.`,
  ];
}
