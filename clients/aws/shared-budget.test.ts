import { beforeEach, describe, expect, it } from 'vitest';
import type { Grant } from '../../domain/load-balancers/budget.ts';
import { createLog } from '../log.ts';
import { KubernetesError, type KubernetesClient } from '../kubernetes/kubernetes.ts';
import {
  budgetInMemory,
  budgetKey,
  sharedBudget,
  takeInPlace,
  type SharedBudget,
  type WriteBudget,
} from './shared-budget.ts';

const never = new AbortController().signal;
const rate = { perSecond: 2, burst: 3 };
const usual = { urgent: false };
const urgent = { urgent: true };
const refusal = (status: number, reason: string) =>
  new KubernetesError({ status, reason, message: `${reason}.` });

/** One ConfigMap as the API server keeps it, and what was asked of it. */
class Store {
  version = 0;
  data: Record<string, string> | undefined;
  calls: string[] = [];
  refuse: ((call: string) => KubernetesError | undefined) | undefined;
  readonly client: Pick<KubernetesClient, 'get' | 'create' | 'patch'> = {
    get: async <T>() => {
      await this.#begin('get');
      return this.data === undefined ? undefined : (this.#object() as T);
    },
    create: async <T>(object: T) => {
      await this.#begin('create');
      if (this.data !== undefined) throw refusal(409, 'AlreadyExists');
      return this.#write({ ...(Reflect.get(object as object, 'data') as Record<string, string>) }) as T;
    },
    patch: async <T>(_kind: unknown, _key: unknown, patch: object) => {
      await this.#begin('patch');
      if (this.data === undefined) throw refusal(404, 'NotFound');
      const { metadata, data } = patch as ReturnType<Store['write']>;
      if (metadata.resourceVersion !== String(this.version)) throw refusal(409, 'Conflict');
      const merged = Object.entries<string | null>({ ...this.data, ...data });
      return this.#write(
        Object.fromEntries(merged.flatMap(([of, text]) => (text === null ? [] : [[of, text]]))),
      ) as T;
    },
  };

  write(data: Record<string, string>) {
    return this.#write(data);
  }

  async #begin(call: string): Promise<void> {
    this.calls.push(call);
    await Promise.resolve();
    const refused = this.refuse?.(call);
    if (refused !== undefined) throw refused;
  }

  #write(data: Record<string, string>) {
    this.version += 1;
    this.data = data;
    return this.#object();
  }

  #object() {
    return { metadata: { resourceVersion: String(this.version) }, data: { ...this.data } };
  }
}

let now = 0;
let store: Store;
const shared = (): SharedBudget =>
  sharedBudget({
    kubernetes: store.client,
    namespace: 'okra',
    rates: { writes: rate, registrations: { perSecond: 4, burst: 5 }, queries: rate },
    log: createLog('silent'),
    clock: () => now,
  });
const worker = (): WriteBudget => shared().writes;
const outcome = (grant: Grant): number | 'Granted' => (grant.is === 'Granted' ? 'Granted' : grant.waitMs);
const outcomes = async (grants: readonly Promise<Grant>[]) => (await Promise.all(grants)).map(outcome);

beforeEach(() => {
  store = new Store();
  now = 1_700_000_000_000;
});

/** Lets the budget that begins empty fill up. */
async function fill(budget: WriteBudget, quota = 'a'): Promise<void> {
  await budget.penalise(quota, 0);
  now += 60_000;
}

describe('sharedBudget', () => {
  it('begins empty, as nobody knows what was written before', async () => {
    expect(await outcomes([worker().take('a', usual, never)])).toEqual([500]);
    expect(store.calls).toEqual(['get', 'create']);
  });

  it('answers all that wait at a moment by one write, in their order', async () => {
    const budget = worker();
    await fill(budget);
    store.calls = [];
    const takes = Array.from({ length: 6 }, () => budget.take('a', usual, never));
    expect(await outcomes(takes)).toEqual(['Granted', 'Granted', 'Granted', 500, 1000, 1500]);
    expect(store.calls.length).toBeLessThanOrEqual(2);
    expect(new Set(store.calls)).toEqual(new Set(['patch']));
  });

  it('keeps the budgets of 200 organisations of Datadog, those that were asked last, and all of AWS', async () => {
    const { queries, writes } = shared();
    await writes.penalise('a', 0);
    for (let asked = 1; asked <= 205; asked += 1) {
      now += 1_000;
      await queries.take(`datadog/site-${asked}/0`, usual, never);
    }
    const kept = Object.keys(store.data ?? {});
    expect(kept).toHaveLength(201);
    expect(kept).toEqual(
      expect.arrayContaining(['a', 'datadog_site-6_0_queries', 'datadog_site-205_0_queries']),
    );
  });

  it('keeps the budgets of 500 accounts of AWS, those that were used last, whatever made-up ones are named', async () => {
    const { writes, registrations } = shared();
    await fill(writes, 'idle');
    for (let named = 1; named <= 250; named += 1) {
      now += 1_000;
      await writes.take(`made-up-${named}`, usual, never);
      await registrations.take(`made-up-${named}`, usual, never);
      if (named % 100 === 0) await fill(writes, 'busy');
    }
    const kept = Object.keys(store.data ?? {});
    expect(kept).toHaveLength(500);
    expect(kept).toEqual(
      expect.arrayContaining(['busy', 'made-up-2_registrations', 'made-up-250', 'made-up-250_registrations']),
    );
    expect(kept).not.toContain('idle');
    const idle = writes.take('idle', usual, never);
    expect(await outcomes([writes.take('busy', usual, never), idle])).toEqual(['Granted', 500]);
  }, 20_000);

  it('keeps a budget that is held back because AWS throttles, however many others are used meanwhile', async () => {
    const { writes } = shared();
    await writes.penalise('throttled', 10_000);
    for (let named = 1; named <= 500; named += 1) {
      now += 2;
      await writes.take(`made-up-${named}`, usual, never);
    }
    expect(await outcomes([writes.take('throttled', usual, never)])).toEqual([10_000 - 1_000 + 500]);
  }, 20_000);

  it('forgets none that is written at the moment, however many there are', async () => {
    const { writes } = shared();
    await writes.penalise('a', 0);
    await Promise.all(Array.from({ length: 600 }, (_, index) => writes.take(`b${index}`, usual, never)));
    expect(Object.keys(store.data ?? {})).toEqual(
      expect.arrayContaining(Array.from({ length: 599 }, (_, index) => `b${index + 1}`)),
    );
  }, 20_000);

  it('counts each quota for itself, in one object', async () => {
    const budget = worker();
    await Promise.all([fill(budget, '1/eu'), fill(budget, '2/eu')]);
    await Promise.all(Array.from({ length: 3 }, () => budget.take('1/eu', usual, never)));
    expect(await outcomes([budget.take('1/eu', usual, never), budget.take('2/eu', usual, never)])).toEqual([
      500,
      'Granted',
    ]);
    expect(Object.keys(store.data ?? {})).toEqual(['1_eu', '2_eu']);
  });

  it('counts registrations apart, at their own rate', async () => {
    const { writes, registrations } = shared();
    await Promise.all([fill(writes), fill(registrations)]);
    const takes = Array.from({ length: 6 }, () => registrations.take('a', usual, never));
    expect(await outcomes(takes)).toEqual([...Array.from({ length: 5 }, () => 'Granted'), 250]);
    await registrations.penalise('a', 1000);
    expect(await outcomes([writes.take('a', usual, never)])).toEqual(['Granted']);
    expect(Object.keys(store.data ?? {})).toEqual(['a', 'a_registrations']);
  });

  it('shares with another worker, whoever writes first', async () => {
    const [one, other] = [worker(), worker()];
    await fill(one);
    const takes = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : other).take('a', usual, never));
    const answers = await outcomes(takes);
    expect(answers.filter((answer) => answer === 'Granted')).toHaveLength(3);
    expect(new Set(answers)).toEqual(new Set(['Granted', 500, 1000, 1500, 2000, 2500]));
  });

  it('makes the object again when it was deleted, empty', async () => {
    const budget = worker();
    await fill(budget);
    store.data = undefined;
    expect(await outcomes([budget.take('a', usual, never)])).toEqual([500]);
  });

  it('holds everything back when AWS throttles, for the other workers too', async () => {
    const [one, other] = [worker(), worker()];
    await fill(one);
    await one.penalise('a', 1000);
    expect(await outcomes([other.take('a', usual, never), other.take('a', urgent, never)])).toEqual([
      1500, 1000,
    ]);
  });

  it('counts what is sent without asking by the same write as what asks at that moment', async () => {
    const budget = worker();
    await fill(budget);
    store.calls = [];
    const charges = [budget.charge('a', usual), budget.charge('a', usual), budget.charge('a', usual)];
    expect(await outcomes([budget.take('a', usual, never), budget.take('a', urgent, never)])).toEqual([
      500,
      'Granted',
    ]);
    await Promise.all(charges);
    expect(store.calls).toEqual(['patch', 'patch']);
  });

  it('counts it for the other workers too', async () => {
    const [one, other] = [worker(), worker()];
    await fill(one);
    for (let write = 0; write < 5; write += 1) await one.charge('a', urgent);
    expect(await outcomes([other.take('a', urgent, never)])).toEqual([1000]);
  });

  it('leaves what gives up at once, and the others are answered', async () => {
    const budget = worker();
    await fill(budget);
    const given = new AbortController();
    const one = budget.take('a', usual, given.signal);
    const other = budget.take('a', usual, never);
    given.abort(new Error('given up'));
    await expect(one).rejects.toThrow('given up');
    await expect(other).resolves.toEqual({ is: 'Granted' });
  });

  it('says which right is missing', async () => {
    store.refuse = () => refusal(403, 'Forbidden');
    await expect(worker().take('a', usual, never)).rejects.toMatchObject({
      name: 'KubernetesError',
      status: 403,
      message:
        'Expected to be allowed to get, create and patch ConfigMap okra/okra-elbv2-budget, where all workers share the budget of writes to ELBv2, got: Forbidden. Allow get, create and patch of configmaps in the namespace okra.',
    });
  });

  it('gives up when others are always faster', async () => {
    store.write({});
    store.refuse = (call) => (call === 'patch' ? refusal(409, 'Conflict') : undefined);
    await expect(worker().take('a', usual, never)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('within 12 tries'),
    });
  });

  it('works again after an error', async () => {
    const budget = worker();
    await fill(budget);
    store.refuse = () => refusal(503, 'ServiceUnavailable');
    await expect(budget.take('a', usual, never)).rejects.toMatchObject({ status: 503 });
    store.refuse = undefined;
    expect(await outcomes([budget.take('a', usual, never)])).toEqual(['Granted']);
  });

  it('lets what takes traffic back go at a rate of the worker’s own while the object is out of reach', async () => {
    const budget = worker();
    store.refuse = () => refusal(403, 'Forbidden');
    const takes = [urgent, urgent, urgent].map((request) => budget.take('a', request, never));
    expect(await outcomes(takes)).toEqual(['Granted', 500, 1000]);
    await expect(budget.penalise('a', 1000)).resolves.toBeUndefined();
  });

  it('counts what is sent without asking in the worker’s own rate while the object is out of reach', async () => {
    const budget = worker();
    store.refuse = () => refusal(403, 'Forbidden');
    await expect(budget.charge('a', urgent)).resolves.toBeUndefined();
    expect(await outcomes([budget.take('a', urgent, never)])).toEqual([500]);
  });

  it('knows nothing any more of its own rate once the object was written again', async () => {
    const budget = worker();
    const refuse = () => refusal(503, 'ServiceUnavailable');
    store.refuse = refuse;
    await budget.take('a', urgent, never);
    store.refuse = undefined;
    await fill(budget);
    store.refuse = refuse;
    expect(await outcomes([budget.take('a', urgent, never), budget.take('a', urgent, never)])).toEqual([
      'Granted',
      500,
    ]);
  });
});

describe('budgetKey', () => {
  it.each([
    ['123456789012/eu-central-1', '123456789012_eu-central-1'],
    ['eu-central-1/', 'eu-central-1_'],
    ['..', '_.'],
    ['', '_'],
    ['a:ü b', 'a___b'],
    ['x'.repeat(300), 'x'.repeat(253)],
  ])('makes a legal key of %j', (quota, want) => {
    expect(budgetKey(quota)).toBe(want);
    expect(want).toMatch(/^(?!\.)[-._a-zA-Z0-9]{1,253}$/);
  });
});

describe('budgetInMemory', () => {
  it('is full at first, and then keeps the rate', async () => {
    const budget = budgetInMemory(rate, () => now);
    const takes = Array.from({ length: 5 }, () => budget.take('a', usual, never));
    expect(await outcomes(takes)).toEqual(['Granted', 'Granted', 'Granted', 500, 1000]);
    await budget.penalise('b', 1000);
    expect(await outcomes([budget.take('b', usual, never)])).toEqual([1500]);
  });
});

describe('takeInPlace', () => {
  it('comes back with its ticket until it is granted', async () => {
    const budget = budgetInMemory({ perSecond: 200, burst: 1 });
    await budget.take('a', usual, never);
    await expect(takeInPlace(budget, 'a', usual, never)).resolves.toBeUndefined();
  });

  it('stops waiting when it is given up', async () => {
    const budget = budgetInMemory({ perSecond: 0.001, burst: 1 });
    await budget.take('a', usual, never);
    const given = new AbortController();
    const waiting = takeInPlace(budget, 'a', usual, given.signal);
    given.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  });
});
