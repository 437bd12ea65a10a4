import { describe, expect, it } from 'vitest';
import { INSTALLATION_NAME, installationIn, type Installation } from './installation.ts';
import { KubernetesError, type KubernetesClient } from './kubernetes.ts';

const refusal = (status: number, reason: string): KubernetesError =>
  new KubernetesError({ status, reason, message: `${reason}.` });

/** One ConfigMap as the API server keeps it. */
function aStore() {
  const store = {
    object: undefined as { readonly data?: Readonly<Record<string, string>> } | undefined,
    now: 0,
    calls: [] as string[],
    refuse: undefined as KubernetesError | undefined,
  };
  const answer = async <T>(call: string, act: () => T): Promise<T> => {
    store.calls.push(call);
    await Promise.resolve();
    if (store.refuse !== undefined) throw store.refuse;
    return act();
  };
  const kubernetes: Pick<KubernetesClient, 'get' | 'create'> = {
    get: <T>() => answer('get', () => store.object as T | undefined),
    create: <T extends object>(object: T) =>
      answer('create', () => {
        if (store.object !== undefined) throw refusal(409, 'AlreadyExists');
        store.object = object;
        return object;
      }),
  };
  let ids = 0;
  const okrad = (): Installation =>
    installationIn({
      kubernetes,
      namespace: 'okra',
      newId: () => `id${(ids += 1)}`,
      clock: () => store.now,
    });
  return { store, okrad };
}

describe('the id of an installation', () => {
  it('is made once, in a ConfigMap that nobody can change by mistake', async () => {
    const { store, okrad } = aStore();
    expect(await okrad()()).toBe('id1');
    expect(store.object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'okra', name: INSTALLATION_NAME },
      immutable: true,
      data: { id: 'id1' },
    });
    expect(await okrad()()).toBe('id1');
  });

  it('is the same for all that make one at once', async () => {
    const { store, okrad } = aStore();
    const ids = await Promise.all(Array.from({ length: 5 }, () => okrad()()));
    expect(new Set(ids).size).toBe(1);
    expect(store.calls.filter((call) => call === 'create')).toHaveLength(5);
  });

  it('is asked for once by many at the same time, and then known for a while', async () => {
    const { store, okrad } = aStore();
    const installation = okrad();
    await Promise.all([installation(), installation(), installation()]);
    await installation();
    expect(store.calls).toEqual(['get', 'create']);
  });

  it('is put back by an okrad that knows it, when it was lost', async () => {
    const { store, okrad } = aStore();
    const installation = okrad();
    const id = await installation();
    store.object = undefined;
    store.now += 60_000;
    expect(await installation()).toBe(id);
    await expect.poll(() => store.object).toMatchObject({ data: { id } });
    expect(await okrad()()).toBe(id);
  });

  it('is another once someone has put another in its place', async () => {
    const { store, okrad } = aStore();
    const installation = okrad();
    await installation();
    store.object = { data: { id: 'former' } };
    store.now += 60_000;
    await installation();
    await expect.poll(installation).toBe('former');
  });

  it('is still known while the API server is away', async () => {
    const { store, okrad } = aStore();
    const installation = okrad();
    await installation();
    store.refuse = refusal(503, 'ServiceUnavailable');
    store.now += 60_000;
    expect([await installation(), await installation()]).toEqual(['id1', 'id1']);
  });

  it('is made after all when it could not be at first', async () => {
    const { store, okrad } = aStore();
    const installation = okrad();
    store.refuse = refusal(403, 'Forbidden');
    await expect(installation()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Allow get and create of configmaps in the namespace okra.') as string,
    });
    store.refuse = undefined;
    expect(await installation()).toMatch(/^id/);
  });

  it.each([undefined, '', 'A b', 'x'.repeat(64), '-a'])('is not what makes no sense: %j', async (id) => {
    const { store, okrad } = aStore();
    store.object = { data: id === undefined ? {} : { id } };
    await expect(okrad()()).rejects.toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining('Delete it, and make it again with the id') as string,
    });
  });
});
