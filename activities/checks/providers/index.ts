import type { CheckAnalysis } from '../../../crds/check.ts';
import { refused, notAllowed } from '../../../clients/provider-error.ts';
import { digest } from '../../../clients/digest.ts';
import type { Aggregator, Answer } from '../../../domain/checks/judge.ts';
import type { Question } from '../../../domain/checks/question.ts';
import type { Window } from '../../../domain/checks/next-run.ts';
import type { AskCloudWatch } from '../../../clients/aws/cloud-watch.ts';
import type { askDatadog } from '../../../clients/datadog/queries.ts';
import type { AccessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AskPrometheus } from '../../../clients/prometheus/client.ts';
import { refusalOf, type Use } from '../../../domain/access/access.ts';
import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import { decodeBase64 } from '../../../clients/kubernetes/base64.ts';
import { toFailure } from '../../failure.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';

/** What a provider is asked, and how. */
export interface Query {
  readonly question: Question;
  readonly window: Window;
  readonly aggregator: Aggregator;
  /** Whether this is a plain query beside that of the analysis, such as that of minSamples. */
  readonly isPlain?: true;
}

/** A provider of metrics, opened for one Check. */
export interface Connection {
  /** Whose queries are counted together; undefined: nobody counts them. */
  readonly quota?: string;
  /** What it was opened with, which stands in no message. */
  readonly secrets: readonly string[];
  /** Asks once; throws a ProviderError, or what an SDK throws, when there is no whole answer. */
  readonly ask: (asked: Query, signal: AbortSignal) => Promise<Answer>;
}

/** Reads the keys of a provider, and whether the namespace may use it; throws a ProviderError otherwise. */
type OpenProvider = (
  dependencies: ProviderDependencies,
  check: { readonly namespace: string; readonly analysis: CheckAnalysis },
  signal: AbortSignal,
) => Promise<Connection>;

/** The organisation of Datadog that okrad has keys for. */
export interface OwnDatadog {
  readonly site: string;
  readonly apiKey?: string;
  readonly appKey?: string;
  readonly endpoint?: string;
}

/** What providers are opened with. */
export interface ProviderDependencies {
  readonly kubernetes: KubernetesClient;
  readonly policies: AccessPolicies;
  readonly datadog: { readonly own: OwnDatadog; readonly ask: typeof askDatadog };
  readonly askCloudWatch: AskCloudWatch;
  readonly askPrometheus: AskPrometheus;
  readonly region?: string | undefined;
}

/** Throws a ProviderError when an AccessPolicy keeps something from a namespace. */
export async function mustUse(
  policies: AccessPolicies,
  namespace: string,
  use: Use,
  signal: AbortSignal,
): Promise<void> {
  const refusal = refusalOf(await policies.of(namespace, signal), use);
  if (refusal !== undefined) throw notAllowed(refusal);
}

// A key is shorter, and a header takes no more.
const LONGEST_KEY = 4096;

/** Reads keys of a Secret, in this order; throws a ProviderError when one is missing. */
async function readKeys(
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  names: readonly string[],
): Promise<readonly string[]> {
  type Secret = { readonly data?: Readonly<Record<string, string>> };
  const secret = await kubernetes.get<Secret>(SECRET, key).catch((error: unknown) => {
    throw refused(
      `cannot read Secret ${key.namespace}/${key.name}: ${toFailure(error).message} Allow okrad to get it.`,
    );
  });
  if (secret === undefined) throw refused(`Secret ${key.namespace}/${key.name} not found. Create it.`);
  return names.map((name) => {
    const value = decodeBase64((secret.data?.[name] ?? '').slice(0, 2 * LONGEST_KEY))?.trim() ?? '';
    // What a header does not take would be quoted by who refuses it.
    if (value !== '' && value.length <= LONGEST_KEY && /^[\x21-\x7e]+$/.test(value)) return value;
    throw refused(`Secret ${key.namespace}/${key.name} has no key ${name} of printable characters. Add it.`);
  });
}

const datadog: OpenProvider = async (dependencies, { namespace, analysis }, signal) => {
  const of = analysis.provider?.datadog ?? {};
  const { site, url, apiKey, appKey } = await organisationOf(dependencies, { namespace, of }, signal);
  return {
    // The digest tells organisations apart, and nobody the key.
    quota: `datadog/${site}/${digest(apiKey).slice(0, 16)}`,
    secrets: [apiKey, appKey],
    ask: ({ isPlain, ...asked }, given) => {
      const { response = 'Timeseries', formula } = of;
      const query = { ...asked, formula, response: isPlain === true ? ('Timeseries' as const) : response };
      return dependencies.datadog.ask({ url, apiKey, appKey }, query, given);
    },
  };
};

type Named = NonNullable<NonNullable<CheckAnalysis['provider']>['datadog']>;

async function organisationOf(
  { kubernetes, policies, datadog: { own } }: ProviderDependencies,
  { namespace, of }: { readonly namespace: string; readonly of: Named },
  signal: AbortSignal,
) {
  const site = of.site ?? own.site;
  const url = own.endpoint ?? `https://api.${site}`;
  if (of.secretRef !== undefined) {
    const key = { namespace, name: of.secretRef.name };
    const [apiKey = '', appKey = ''] = await readKeys(kubernetes, key, ['api-key', 'app-key']);
    return { site, url, apiKey, appKey };
  }
  await mustUse(policies, namespace, { of: 'Metrics', source: `datadog/${site}` }, signal);
  const { apiKey, appKey } = own;
  if (apiKey === undefined || appKey === undefined)
    throw refused(
      'No Datadog keys. Name a Secret in provider.datadog.secretRef, or set DD_API_KEY and DD_APP_KEY of okrad.',
    );
  return { site, url, apiKey, appKey };
}

const cloudWatch: OpenProvider = async (dependencies, { namespace, analysis }, signal) => {
  const { policies, askCloudWatch } = dependencies;
  const { region = dependencies.region, roleARN } = analysis.provider?.cloudWatch ?? {};
  if (region === undefined)
    throw refused('No region for CloudWatch. Set provider.cloudWatch.region, or AWS_REGION of okrad.');
  const use =
    roleARN === undefined
      ? ({ of: 'Metrics', source: `cloudwatch/${region}` } as const)
      : ({ of: 'Role', arn: roleARN } as const);
  await mustUse(policies, namespace, use, signal);
  return {
    secrets: [],
    ask: ({ question, window }, given) => askCloudWatch({ region, roleARN }, { question, window }, given),
  };
};

const prometheus: OpenProvider = async (dependencies, { namespace, analysis }, signal) => {
  const { kubernetes, policies, askPrometheus } = dependencies;
  const { address = '', secretRef } = analysis.provider?.prometheus ?? {};
  const host = URL.canParse(address) ? new URL(address).host : address;
  await mustUse(policies, namespace, { of: 'Metrics', source: `prometheus/${host}` }, signal);
  const secrets =
    secretRef === undefined ? [] : await readKeys(kubernetes, { namespace, name: secretRef.name }, ['token']);
  return {
    secrets,
    ask: ({ question: { query }, window }, given) => {
      if (query === undefined) throw refused('No PromQL query. Add analysis.query.');
      return askPrometheus({ address, token: secrets[0] }, { query, window }, given);
    },
  };
};

type Name = keyof NonNullable<CheckAnalysis['provider']>;

/** The kinds of providers; one that the schema has and this table has not does not compile. */
const providers: { readonly [Each in Name]: OpenProvider } = { datadog, cloudWatch, prometheus };

const names = Object.keys(providers) as readonly Name[];

/** Opens the provider that an analysis names: Datadog when it names none. */
export const openProvider: OpenProvider = (dependencies, check, signal) => {
  const { provider = {} } = check.analysis;
  const name = names.find((one) => provider[one] !== undefined) ?? 'datadog';
  return providers[name](dependencies, check, signal);
};
