import { formatBudget, parseBudget } from '../../domain/load-balancers/budget-text.ts';
import {
  chargeWrite,
  emptyBudget,
  fullBudget,
  penalise,
  takeWrite,
  type BudgetState,
  type Grant,
  type Taken,
  type WriteRate,
  type WriteRequest,
} from '../../domain/load-balancers/budget.ts';
import { sleep } from '../backoff.ts';
import { budgetObject, type BudgetTexts } from './budget-object.ts';
import { forgottenIn } from './forgotten-budgets.ts';
import type { KubernetesClient } from '../kubernetes/kubernetes.ts';
import type { Log } from '../log.ts';

/** Spends writes against a quota, so that Okra stays below the rate at which AWS throttles. Nobody waits in here. */
export interface WriteBudget {
  /** Says whether one more write may be sent now, or when to ask again. Rejects with the reason of the signal. */
  take(quota: string, request: WriteRequest, signal: AbortSignal): Promise<Grant>;
  /**
   * Counts a write that is sent without asking, because one that it belongs to was sent: a turn that came later would have
   * both begin again. Nobody has to wait for that, and it never rejects.
   */
  charge(quota: string, request: Pick<WriteRequest, 'urgent'>): Promise<void>;
  /** Holds all writes of a quota back for a time, because AWS throttles nonetheless. Never rejects. */
  penalise(quota: string, ms: number): Promise<void>;
}

/** What is counted apart: at AWS what modifies, and what registers targets or takes them out; and queries of Datadog. */
export type WriteKind = 'writes' | 'registrations' | 'queries';

/** The budgets that all workers of an installation share, of each kind of write. */
export type SharedBudget = Readonly<Record<WriteKind, WriteBudget>>;

/** What a budget is made of that all workers share. */
export interface SharedBudgetOptions {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly rates: Readonly<Record<WriteKind, WriteRate>>;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
}

/** One thing that is to be done with the budget of a quota; all that waits is done by one write. */
interface Operation {
  readonly key: string;
  readonly rate: WriteRate;
  readonly change: (before: BudgetState, now: number) => Taken;
  /** Whether each worker counts for itself what cannot be shared; what else cannot be is rejected. */
  readonly goesOn: boolean;
  readonly signal?: AbortSignal;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: unknown) => void;
}

const GRANTED: Grant = { is: 'Granted' };

/** Makes the budgets that all workers of an installation share, kept in a ConfigMap beside their Lease. */
export function sharedBudget(options: SharedBudgetOptions): SharedBudget {
  const { kubernetes, namespace, rates, log, clock = Date.now } = options;
  const object = budgetObject(kubernetes, namespace);
  const own = new Map<string, BudgetState>();
  const waiting: Operation[] = [];
  let isBusy = false;

  async function workOff(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0)
      await perform(waiting.splice(0).filter(({ signal }) => signal?.aborted !== true));
    isBusy = false;
  }

  async function perform(batch: readonly Operation[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const grants = await object.change((data) => {
        const states = new Map<string, BudgetState>();
        const now = Math.floor(clock());
        const answers = batch.map((operation) => {
          const before = states.get(operation.key) ?? parseBudget(data[operation.key], now, operation.rate);
          return keep(states, operation, before, now);
        });
        const changes = textsOf(states);
        return { changes, forgotten: forgottenIn(data, changes), answers };
      });
      batch.forEach(({ resolve }, index) => resolve(grants[index] ?? GRANTED));
      own.clear();
    } catch (error) {
      for (const operation of batch) answerAlone(operation, error);
    }
  }

  // What takes traffic back must not depend on an object that nobody may read any more; each worker then keeps a rate of its own.
  function answerAlone(operation: Operation, error: unknown): void {
    if (!operation.goesOn) return operation.reject(error);
    const now = Math.floor(clock());
    const before = own.get(operation.key) ?? emptyBudget(now, operation.rate);
    log.warn({ err: error, quota: operation.key }, 'write budget not shared');
    operation.resolve(keep(own, operation, before, now));
  }

  const enqueue = (operation: Operation): void => {
    waiting.push(operation);
    void workOff();
  };

  const budgetOf = (rate: WriteRate, keyOf: (quota: string) => string): WriteBudget => ({
    take: (quota, request, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const giveUp = (): void => reject(signal.reason);
        const settled = (): void => signal.removeEventListener('abort', giveUp);
        signal.addEventListener('abort', giveUp, { once: true });
        enqueue({
          key: keyOf(quota),
          rate,
          change: (before, now) => takeWrite(before, request, now, rate),
          goesOn: request.urgent,
          signal,
          resolve: (grant) => (settled(), resolve(grant)),
          reject: (error) => (settled(), reject(error)),
        });
      }),
    charge: (quota, request) =>
      new Promise((resolve) => {
        const change = (before: BudgetState, now: number): Taken => ({
          state: chargeWrite(before, request, now, rate),
          grant: GRANTED,
        });
        const done = (): void => resolve();
        enqueue({ key: keyOf(quota), rate, change, goesOn: true, resolve: done, reject: done });
      }),
    penalise: (quota, penaltyMs) =>
      new Promise((resolve) => {
        const key = keyOf(quota);
        const change = (before: BudgetState, now: number): Taken => ({
          state: penalise(before, penaltyMs, now, rate),
          grant: GRANTED,
        });
        const reject = (error: unknown): void => {
          log.warn({ err: error, quota: key }, 'write budget not penalised');
          resolve();
        };
        enqueue({ key, rate, change, goesOn: false, resolve: () => resolve(), reject });
      }),
  });
  return {
    writes: budgetOf(rates.writes, budgetKey),
    registrations: budgetOf(rates.registrations, (quota) => budgetKey(`${quota}/registrations`)),
    queries: budgetOf(rates.queries, (quota) => budgetKey(`${quota}/queries`)),
  };
}

/** Makes a budget that this process has for itself, full at first; for tests, and where there is one process only. */
export function budgetInMemory(rate: WriteRate, clock: () => number = Date.now): WriteBudget {
  const states = new Map<string, BudgetState>();
  const before = (quota: string, now: number): BudgetState => states.get(quota) ?? fullBudget(now, rate);
  return {
    take: async (quota, request, signal) => {
      signal.throwIfAborted();
      const now = Math.floor(clock());
      const { state, grant } = takeWrite(before(quota, now), request, now, rate);
      states.set(quota, state);
      return await Promise.resolve(grant);
    },
    charge: async (quota, request) => {
      const now = Math.floor(clock());
      states.set(quota, chargeWrite(before(quota, now), request, now, rate));
      await Promise.resolve();
    },
    penalise: async (quota, ms) => {
      const now = Math.floor(clock());
      states.set(quota, penalise(before(quota, now), ms, now, rate));
      await Promise.resolve();
    },
  };
}

/** Waits for a write where that holds nobody up, as it does not when the caller has nothing else to do. */
export async function takeInPlace(
  budget: WriteBudget,
  quota: string,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<void> {
  for (let grant = await budget.take(quota, request, signal); grant.is === 'Wait';) {
    await sleep(grant.waitMs, signal);
    grant = await budget.take(quota, { ...request, ticket: grant.ticket }, signal);
  }
}

/** The key of a quota in the data of a ConfigMap; quotas of one key share a budget, which is slower and does no harm. */
export const budgetKey = (quota: string): string =>
  quota.replaceAll(/[^-.a-zA-Z0-9]|^\.|^$/g, '_').slice(0, 253);

function keep(
  states: Map<string, BudgetState>,
  { key, change }: Operation,
  before: BudgetState,
  now: number,
): Grant {
  const { state, grant } = change(before, now);
  states.set(key, state);
  return grant;
}

const textsOf = (states: ReadonlyMap<string, BudgetState>): BudgetTexts =>
  Object.fromEntries([...states].map(([key, state]) => [key, formatBudget(state)]));
