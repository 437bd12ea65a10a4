import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { aSpec } from '../../domain/staged/testing/world.ts';
import { viewOf } from '../testing/builders.ts';
import { noLog, turn } from '../testing/fakes.ts';
import type { Instruction } from '../instruction.ts';
import { memoryBudgets } from './memory-budget.ts';
import { watchSpaces } from './spaces.ts';

const kubeconfig = stringify({
  clusters: [{ name: 'w', cluster: { server: 'https://w:6443' } }],
  users: [{ name: 'w', user: { token: 't' } }],
  contexts: [{ name: 'w', context: { cluster: 'w', user: 'w' } }],
  'current-context': 'w',
});
const space = { namespace: 'spaces', name: 'wds1', key: 'kubeconfig' };
const aPolicy = (name: string, more: object = {}): StagedBindingPolicy => ({
  apiVersion: 'community.kubestellar.io/v1alpha1',
  kind: 'StagedBindingPolicy',
  metadata: { name },
  spec: aSpec([{}], more),
});

const aSecret = (resourceVersion = '1', data: object = { kubeconfig: btoa(kubeconfig) }): object => ({
  metadata: { name: 'wds1', namespace: 'spaces', uid: 'u', resourceVersion },
  data,
});

/** What is told of a space that has these Bindings, until all that there is was told. */
async function told(view: ReturnType<typeof viewOf>, ...bindings: string[]): Promise<readonly Instruction[]> {
  const instructions: Instruction[] = [];
  const stop = new AbortController();
  let listed = 0;
  const client = {
    snapshot: ({ kind }: { kind: string }) => {
      const names = kind === 'Binding' ? bindings : [];
      const items = names.map((name) => ({ metadata: { name, uid: name, resourceVersion: '1' } }));
      return Promise.resolve({ items, resourceVersion: '1' });
    },
    async *watch() {
      listed += 1;
      if (listed === 3) stop.abort();
      yield* [];
    },
  };
  const watching = watchSpaces({
    kubernetes: { get: <T>() => Promise.resolve(aSecret() as T) },
    clusters: { reach: () => ({ is: 'Client', name: 'w', namespaces: [], client: client as never }) },
    view,
    dispatch: (instruction) => instructions.push(instruction),
    budgets: memoryBudgets(),
    log: noLog,
    signal: stop.signal,
    sleep: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  });
  watching.refresh();
  const policies: readonly Partial<StagedBindingPolicy>[] = [...view.StagedBindingPolicy.list()];
  if (policies.every(({ spec }) => spec?.space === undefined)) stop.abort();
  await watching.ended();
  return instructions;
}

/** What is done with a space whose Secret is read with these results in turn, and how long is waited after each. */
async function followed(
  ...looks: readonly (object | 'Missing' | Error)[]
): Promise<readonly (string | number)[]> {
  const done: (string | number)[] = [];
  const stop = new AbortController();
  const left = [...looks];
  const client = {
    snapshot: async ({ kind }: { kind: string }, { signal }: { signal: AbortSignal }) => {
      if (kind === 'Binding') {
        done.push('watched');
        signal.addEventListener('abort', () => stop.signal.aborted || done.push('left'), { once: true });
      }
      return await new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
      });
    },
  };
  const watching = watchSpaces({
    kubernetes: {
      get: async <T>() => {
        const look = await Promise.resolve(left.shift());
        if (look instanceof Error) throw look;
        return (look === 'Missing' ? undefined : look) as T | undefined;
      },
    },
    clusters: { reach: () => ({ is: 'Client', name: 'w', namespaces: [], client: client as never }) },
    view: viewOf({ staged: [aPolicy('web', { space })] }),
    dispatch: () => undefined,
    budgets: memoryBudgets(),
    log: noLog,
    signal: stop.signal,
    sleep: async (milliseconds) => {
      done.push(milliseconds);
      if (left.length === 0) stop.abort();
      await Promise.resolve();
    },
    timing: { random: () => 0 },
  });
  watching.refresh();
  await watching.ended();
  return done;
}

describe('a workload description space that is another API server', () => {
  it('is watched, and tells those alone that make their BindingPolicies there', async () => {
    // One of a form that no schema allows is in nobody's way.
    const odd = [undefined, { space: 'spaces' }].map((spec, index) => ({
      ...aPolicy(`odd-${index}`),
      spec: spec as never,
    }));
    const view = viewOf({ staged: [...odd, aPolicy('web', { space }), aPolicy('here')] });
    expect(await told(view, 'web-dev', 'here-dev')).toEqual([
      { do: 'Start', kind: 'StagedBindingPolicy', key: { namespace: '', name: 'web' } },
      { do: 'Ignore', reason: 'no StagedBindingPolicy has made it' },
    ]);
  });

  it('is not watched when nobody names it', async () => {
    expect(await told(viewOf({ staged: [aPolicy('here')] }), 'here-dev')).toEqual([]);
  });
});

/** What is kept of spaces that tell of ever more objects, and what is said of it. */
async function kept(spaces: readonly (typeof space)[], limits: { cluster: number; namespace: number }) {
  const stop = new AbortController();
  const most = new Map<string, number>();
  const warned: string[] = [];
  const child = (of: object) => ({
    ...noLog,
    warn: ({ err }: { err: Error }) => void warned.push(`${JSON.stringify(of)} ${err.message}`),
  });
  const budgets = memoryBudgets(limits);
  const client = {
    snapshot: () => Promise.resolve({ items: [], resourceVersion: '1' }),
    async *watch({ kind }: { kind: string }) {
      for (let i = 0; i < 100; i += 1) {
        await turn();
        const metadata = { name: `${kind}${i}`.padEnd(1_000, 'x'), uid: 'u', resourceVersion: '1' };
        yield { type: 'ADDED', object: { metadata } };
      }
      expect.unreachable();
    },
  };
  let waiting = 0;
  const watching = watchSpaces({
    kubernetes: {
      get: <T>(_: unknown, { name }: { name: string }) =>
        Promise.resolve({
          metadata: { name, namespace: 'spaces', uid: name, resourceVersion: '1' },
          data: { a: btoa(kubeconfig), b: btoa(kubeconfig) },
        } as T),
    },
    clusters: { reach: () => ({ is: 'Client', name: 'w', namespaces: [], client: client as never }) },
    view: viewOf({ staged: spaces.map((one, i) => aPolicy(`web${i}`, { space: one })) }),
    dispatch: () => undefined,
    budgets: (tenant) => {
      const budget = budgets(tenant);
      const keep = (characters: number): void => {
        budget.keep(characters);
        most.set(tenant.cluster, Math.max(most.get(tenant.cluster) ?? 0, characters));
      };
      return { ...budget, keep };
    },
    log: { ...noLog, child } as unknown as typeof noLog,
    signal: stop.signal,
    sleep: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    timing: {
      // All kinds of all spaces come to it that there is no room for more.
      sleep: async (milliseconds) => {
        if (milliseconds === 300_000) waiting += 1;
        if (waiting === 3 * spaces.length) stop.abort();
        await turn();
      },
    },
  });
  watching.refresh();
  await watching.ended();
  return { most, warned };
}

describe('what is kept of spaces', () => {
  it('is no more of one than there is room for, and each is named when there is none', async () => {
    const { most, warned } = await kept([{ ...space, key: 'a' }], { cluster: 10_000, namespace: 50_000 });
    expect([...most.keys()]).toEqual(['wds1/a']);
    expect(warned).toHaveLength(3);
    for (const one of warned) {
      expect(one).toContain('Expected to keep at most 10000 characters of cluster spaces/wds1, got more.');
      expect(one).toContain('{"space":"spaces/wds1/a"}');
    }
  });

  it('is no more of all whose Secrets are in a namespace, and of each key by itself', async () => {
    const spaces = ['a', 'b'].map((key) => ({ ...space, key }));
    const { most, warned } = await kept(spaces, { cluster: 50_000, namespace: 20_000 });
    expect([...most.keys()].toSorted()).toEqual(['wds1/a', 'wds1/b']);
    for (const one of warned) expect(one).toContain('the clusters of namespace spaces');
  });
});

describe('the Secret of a space', () => {
  const failure = new Error('HTTP 500');
  it.each<[string, readonly (object | 'Missing' | Error)[], readonly (string | number)[]]>([
    ['is read once before the space is watched', [aSecret()], ['watched', 60_000]],
    [
      'is read again soon after it could not be',
      [failure, failure, aSecret()],
      [500, 1_000, 'watched', 60_000],
    ],
    ['is awaited', ['Missing', aSecret()], [500, 'watched', 60_000]],
    ['is awaited until it leads somewhere', [aSecret('1', {}), aSecret('2')], [500, 'watched', 60_000]],
    ['is looked at once in a minute', [aSecret(), aSecret()], ['watched', 60_000, 60_000]],
    ['is taken to be as it was where it cannot be read', [aSecret(), failure], ['watched', 60_000, 60_000]],
    [
      'may say something else',
      [aSecret(), failure, aSecret('2')],
      ['watched', 60_000, 60_000, 'left', 'watched', 60_000],
    ],
    [
      'may go and come back',
      [aSecret(), 'Missing', aSecret()],
      ['watched', 60_000, 'left', 500, 'watched', 60_000],
    ],
  ])('%s', async (_, looks, want) => expect(await followed(...looks)).toEqual(want));

  it('is not asked for more often than that, however long it is away', async () => {
    const waits = await followed(...Array.from({ length: 9 }, () => failure));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000]);
  });
});
