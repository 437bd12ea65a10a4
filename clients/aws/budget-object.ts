import { setTimeout } from 'node:timers/promises';
import type { Grant } from '../../domain/load-balancers/budget.ts';
import { waitAfter } from '../backoff.ts';
import { CONFIG_MAP } from '../kubernetes/kinds.ts';
import {
  isConflict,
  isNotFound,
  KubernetesError,
  type Identified,
  type Key,
  type KubernetesClient,
} from '../kubernetes/kubernetes.ts';

/** The name of the ConfigMap in which all workers keep what they share of the budget. */
export const BUDGET_NAME = 'okra-elbv2-budget';

/** Texts by key. */
export type BudgetTexts = Readonly<Record<string, string>>;

/** Decides by what is there what to write, and what to answer once it is written. */
export type Decide = (data: BudgetTexts) => {
  readonly changes: BudgetTexts;
  /** The keys that go. */
  readonly forgotten: readonly string[];
  readonly answers: readonly Grant[];
};

/** The object in which the budget is kept. */
export interface BudgetObject {
  /** Decides again whenever someone else was faster, so that two never decide by the same state. */
  change(decide: Decide): Promise<readonly Grant[]>;
}

interface ConfigMap extends Identified {
  readonly metadata: Key & { readonly resourceVersion?: string };
  readonly data?: BudgetTexts;
}

const TRIES = 12;
const BACKOFF = { first: 10, longest: 200 };

/** The ConfigMap of the budget in a namespace; it is created when it is missing. */
export function budgetObject(
  kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch'>,
  namespace: string,
): BudgetObject {
  const key = { namespace, name: BUDGET_NAME };
  const { apiVersion, kind } = CONFIG_MAP;
  // Most of the time nobody else has written since, and one request is enough.
  let seen: ConfigMap | undefined;

  async function attempt(decide: Decide): Promise<readonly Grant[]> {
    seen ??= await kubernetes.get<ConfigMap>(CONFIG_MAP, key);
    const before = seen;
    // After an error nobody knows what is there.
    seen = undefined;
    const { changes, forgotten, answers } = decide(before?.data ?? {});
    seen =
      before === undefined
        ? await kubernetes.create<ConfigMap>({ apiVersion, kind, metadata: key, data: changes })
        : await kubernetes.patch<ConfigMap>(CONFIG_MAP, key, {
            metadata: { resourceVersion: before.metadata.resourceVersion },
            data: { ...changes, ...Object.fromEntries(forgotten.map((of) => [of, null])) },
          });
    return answers;
  }

  return {
    change: async (decide) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(decide);
        } catch (error) {
          // Someone else has written, created or deleted it.
          const isLost = isConflict(error) || isNotFound(error);
          if (!isLost || tries === TRIES) throw explained(error, namespace);
          await setTimeout(waitAfter(tries, BACKOFF));
        }
      }
    },
  };
}

/** Reads all budgets, by key. */
export const readBudgets = async (
  kubernetes: Pick<KubernetesClient, 'get'>,
  namespace: string,
): Promise<BudgetTexts> =>
  (await kubernetes.get<ConfigMap>(CONFIG_MAP, { namespace, name: BUDGET_NAME }))?.data ?? {};

function explained(error: unknown, namespace: string): unknown {
  if (!(error instanceof KubernetesError)) return error;
  const { status, reason, message } = error;
  const name = `ConfigMap ${namespace}/${BUDGET_NAME}`;
  const texts: Readonly<Record<number, string>> = {
    403: `Expected to be allowed to get, create and patch ${name}, where all workers share the budget of writes to ELBv2, got: ${message} Allow get, create and patch of configmaps in the namespace ${namespace}.`,
    404: `Expected the namespace ${namespace} to have or to take ${name}, where all workers share the budget of writes to ELBv2, got: ${message} Create the namespace, or set OKRA_LEASE_NAMESPACE.`,
    409: `Expected to write ${name} within ${TRIES} tries, got there too late each time, because other workers write it as well.`,
  };
  return new KubernetesError({ status, reason, message: texts[status] ?? message }, { cause: error });
}
