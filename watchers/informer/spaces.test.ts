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
    kubernetes: {
      get: <T>() =>
        Promise.resolve({
          metadata: { name: 'wds1', namespace: 'spaces', uid: 'u', resourceVersion: '1' },
          data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
        } as T),
    },
    clusters: { reach: () => ({ is: 'Client', name: 'w', namespaces: [], client: client as never }) },
    view,
    dispatch: (instruction) => instructions.push(instruction),
    log: noLog,
    signal: stop.signal,
    sleep: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  });
  watching.refresh();
  if (view.StagedBindingPolicy.list().every(({ spec }) => spec.space === undefined)) stop.abort();
  await watching.ended();
  return instructions;
}

describe('a workload description space that is another API server', () => {
  it('is watched, and tells those alone that make their BindingPolicies there', async () => {
    const view = viewOf({ staged: [aPolicy('web', { space }), aPolicy('here')] });
    expect(await told(view, 'web-dev', 'here-dev')).toEqual([
      { do: 'Start', kind: 'StagedBindingPolicy', key: { namespace: '', name: 'web' } },
      { do: 'Ignore', reason: 'no StagedBindingPolicy has made it' },
    ]);
  });

  it('is not watched when nobody names it', async () => {
    expect(await told(viewOf({ staged: [aPolicy('here')] }), 'here-dev')).toEqual([]);
  });
});
