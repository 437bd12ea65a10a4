import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { aSpec } from '../../domain/staged/testing/world.ts';
import { viewOf } from '../testing/builders.ts';
import { noLog } from '../testing/fakes.ts';
import type { Instruction } from '../instruction.ts';
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
    ]);
  });

  it('is not watched when nobody names it', async () => {
    expect(await told(viewOf({ staged: [aPolicy('here')] }), 'here-dev')).toEqual([]);
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
