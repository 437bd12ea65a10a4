import { describe, expect, it, vi } from 'vitest';
import { RawValue, type SignalDefinition, type UpdateDefinition } from '@temporalio/common';
import type { RolloutState } from '../domain/model/state.ts';
import type { RequestName, Stamp } from '../domain/model/request.ts';
import { aRollout } from '../domain/testing/builders.ts';

// A request takes its name, its entry, and the place in domain/rollout/ where it counts.
vi.mock('../crds/request-names.ts', async (original) => {
  const { requestNames, askNames, ...others } = await original<Record<string, readonly string[]>>();
  return {
    ...others,
    requestNames: [...(requestNames ?? []), 'skip'],
    askNames: [...(askNames ?? []), 'skip'],
  };
});
vi.mock('../domain/model/request-kinds.ts', async (original) => {
  const { requestKinds } = await original<{ requestKinds: object }>();
  const skip = {
    description: 'Leaves out the next step.',
    refusal: ({ rollout }: RolloutState) =>
      rollout === undefined ? 'Expected a running rollout, got none.' : undefined,
    take: (open: object, stamp: Stamp) => ({ ...open, skip: stamp }),
    answer: () => 'The next step is left out.',
  };
  return { requestKinds: { ...requestKinds, skip } };
});

interface Options {
  readonly description: string;
  readonly validator?: (sent?: RawValue) => void;
}
type Handler = (request: undefined) => unknown;
const handlers = new Map<string, { readonly handle: Handler; readonly options: Options }>();
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  setHandler: (
    { type, name }: SignalDefinition | UpdateDefinition<unknown>,
    handle: Handler,
    options: Options,
  ) => handlers.set(`${type} ${name}`, { handle, options }),
}));

const { handleRequests } = await import('./live-run.ts');
const { takeRequest: ask } = await import('../domain/model/requests.ts');
const { initialState } = await import('../domain/model/state.ts');
const { newRun: runFrom } = await import('../domain/rollout/record/run.ts');

describe('a request with a name and an entry', () => {
  const taken: RolloutState[] = [];
  const take = (name: RequestName, stamp: Stamp): void => void taken.push(ask(rolling, name, stamp));
  const set = { version: '2.0.0', groups: [] };
  const rolling: RolloutState = {
    ...initialState,
    rollout: aRollout({ stable: set, canary: set, steps: [{ kind: 'pause', spec: {} }] }),
  };

  it('is a signal and an update of every rollout, which are taken and answered', () => {
    handleRequests({ run: () => runFrom(rolling), take });
    const update = handlers.get('update skip');
    expect(handlers.get('signal skip')?.options.description).toBe('Leaves out the next step.');
    expect(update?.options.validator?.()).toBeUndefined();
    expect(update?.handle(undefined)).toEqual({ message: 'The next step is left out.' });
    expect(taken).toMatchObject([
      { requests: { skip: { by: 'an operator' } }, requested: [{ action: 'skip' }] },
    ]);
  });

  it('is refused when it lets continue what is not what was looked at', () => {
    handleRequests({ run: () => runFrom(rolling), take });
    const seen = (step: number) => new RawValue({ by: 'ann', version: '2.0.0', step });
    const validator = handlers.get('update promote')?.options.validator;
    expect(validator?.(seen(1))).toBeUndefined();
    expect(() => validator?.(seen(2))).toThrow(
      'The request is for the end of the steps of 2.0.0, and the rollout is at step 1',
    );
  });

  it('is refused where it makes no sense', () => {
    handleRequests({ run: () => runFrom(initialState), take });
    expect(handlers.get('update skip')?.options.validator).toThrow('Expected a running rollout, got none.');
  });
});
