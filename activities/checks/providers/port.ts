import type { CheckAnalysis } from '../../../crds/check.ts';
import type { Aggregator, Answer } from '../../../domain/checks/answer.ts';
import type { Question } from '../../../domain/checks/question.ts';
import type { Window } from '../../../domain/checks/next-run.ts';
import type { AskCloudWatch } from '../../../clients/aws/cloud-watch.ts';
import type { askDatadog } from '../../../clients/datadog/queries.ts';
import type { AccessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AskPrometheus } from '../../../clients/prometheus/client.ts';
import { notAllowed, refused } from '../../../clients/provider-error.ts';
import { refusalOf, type Use } from '../../../domain/access/access.ts';
import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import { decodeBase64 } from '../../../clients/kubernetes/base64.ts';
import { toFailure } from '../../failure.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';

/** What a provider is asked, and how. */
export interface Asked {
  readonly question: Question;
  readonly window: Window;
  readonly aggregator: Aggregator;
  /** Whether this is a plain query beside that of the analysis, such as that of minSamples. */
  readonly isPlain?: true;
}

/** A provider of metrics, opened for one Check. */
export interface Asker {
  /** Whose queries are counted together; undefined: nobody counts them. */
  readonly quota?: string;
  /** What it was opened with, which stands in no message. */
  readonly secrets: readonly string[];
  /** Asks once; throws a ProviderError, or what an SDK throws, when there is no whole answer. */
  readonly ask: (asked: Asked, signal: AbortSignal) => Promise<Answer>;
}

/** A kind of provider. */
export interface Provider {
  /** Reads the keys, and whether the namespace may use it; throws a ProviderError otherwise. */
  open(
    check: { readonly namespace: string; readonly analysis: CheckAnalysis },
    signal: AbortSignal,
  ): Promise<Asker>;
}

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

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
}

// A key is shorter, and a header takes no more.
const LONGEST_KEY = 4096;

/** Reads keys of a Secret, in this order; throws a ProviderError when one is missing. */
export async function readKeys(
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  names: readonly string[],
): Promise<readonly string[]> {
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
