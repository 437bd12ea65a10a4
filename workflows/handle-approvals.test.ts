import {
  ActivityFailure,
  ApplicationFailure,
  RawValue,
  RetryState,
  type SignalDefinition,
  type UpdateDefinition,
} from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalReview } from '../activities/contract.ts';
import { takeRequest } from '../domain/model/requests.ts';
import { initialState, type RolloutState } from '../domain/model/state.ts';
import { parseStep } from '../domain/steps/index.ts';
import { aRollout } from '../domain/testing/builders.ts';

type Handler = (sent: RawValue | undefined) => unknown;
const handlers = new Map<string, { readonly handle: Handler; readonly validator?: Handler }>();
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  CancellationScope: { nonCancellable: (run: () => unknown) => run() },
  setHandler: (
    { type, name }: SignalDefinition | UpdateDefinition<unknown>,
    handle: Handler,
    options: { readonly validator?: Handler },
  ) => handlers.set(`${type} ${name}`, { handle, ...options }),
}));
const reviews: { readonly asked: ApprovalReview; readonly answer: (allowed: boolean | Error) => void }[] = [];
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  objects: () => ({
    reviewApproval: (asked: ApprovalReview) =>
      new Promise((resolve, reject) => {
        const answer = (allowed: boolean | Error): void =>
          allowed instanceof Error ? reject(allowed) : resolve({ allowed });
        reviews.push({ asked, answer });
      }),
  }),
}));

const { handleApprovals } = await import('./handle-approvals.ts');

const set = { version: '2.0.0', groups: [] };
const waiting: RolloutState = {
  ...initialState,
  rollout: aRollout({
    stable: set,
    canary: set,
    steps: [parseStep({ approval: { groups: ['release'], count: 2 } })],
    progress: { is: 'Pausing', since: 1 },
  }),
};
const sent = (value: unknown): RawValue => new RawValue(value);
const ann = sent({ by: 'ann', groups: ['release', 'system:masters'], reason: 'looks fine' });
const bob = sent({ by: 'bob', groups: ['release'] });

describe('an approval', () => {
  let state: RolloutState;
  const update = (said: RawValue | undefined): Promise<unknown> => {
    const known = handlers.get('update approve');
    known?.validator?.(said);
    return Promise.resolve(known?.handle(said));
  };
  const signal = (said: RawValue | undefined): Promise<unknown> =>
    Promise.resolve(handlers.get('signal approve')?.handle(said));
  const eventsOf = (): readonly string[] =>
    state.events.map(({ reason, message }) => `${reason}: ${message}`);
  const by = (): readonly string[] => {
    const progress = state.rollout?.progress;
    return progress?.is === 'Pausing' ? (progress.approvals ?? []).map((one) => one.by) : [];
  };

  beforeEach(() => {
    state = waiting;
    reviews.length = 0;
    const key = { namespace: 'shop', name: 'web' };
    handleApprovals({ key, state: () => state, take: (change) => (state = change(state)) });
  });

  it('counts once Kubernetes lets the one who gives it approve, by what they are without being masters', async () => {
    const asking = update(ann);
    expect(by()).toEqual([]);
    expect(reviews[0]?.asked).toEqual({
      key: { namespace: 'shop', name: 'web' },
      by: 'ann',
      groups: ['release'],
    });
    reviews[0]?.answer(true);
    expect(await asking).toEqual({
      message: 'Approved by ann for step 1 of 2.0.0: looks fine (1 of 2). Missing: 1.',
    });
    expect(by()).toEqual(['ann']);
    expect(eventsOf()).toEqual([
      'Approved: Approved by ann for step 1 of 2.0.0: looks fine (1 of 2). Missing: 1.',
    ]);
  });

  it('does not count for another step than was looked at', async () => {
    const other = sent({ by: 'ann', groups: ['release'], version: '2.0.0', step: 4 });
    await expect(async () => update(other)).rejects.toThrow(
      'The request is for step 4 of 2.0.0, and the rollout is at',
    );
    expect(reviews).toEqual([]);
  });

  it('does not count where Kubernetes says no, and that is told', async () => {
    const asking = update(ann);
    reviews[0]?.answer(false);
    await expect(asking).rejects.toThrow('Kubernetes does not let ann approve Cell shop/web');
    expect(by()).toEqual([]);
    expect(eventsOf()).toEqual([
      expect.stringMatching(/^ApprovalRefused: Kubernetes does not let ann approve/),
    ]);
  });

  it('does not count where Kubernetes does not answer, and may be sent again', async () => {
    const asking = update(ann);
    reviews[0]?.answer(
      new ActivityFailure(
        'HTTP 503',
        'reviewApproval',
        undefined,
        RetryState.MAXIMUM_ATTEMPTS_REACHED,
        '',
        new ApplicationFailure('HTTP 503', 'Unavailable'),
      ),
    );
    await expect(asking).rejects.toThrow('Approve again.');
    const again = update(ann);
    reviews[1]?.answer(true);
    expect(await again).toMatchObject({ message: expect.stringContaining('1 of 2') as string });
  });

  it('counts once when it is sent twice at once', async () => {
    const first = update(ann);
    await expect(async () => update(ann)).rejects.toThrow('another approval by ann is being checked');
    await signal(ann);
    reviews[0]?.answer(true);
    await first;
    expect(reviews).toHaveLength(1);
    expect(by()).toEqual(['ann']);
    await expect(async () => update(ann)).rejects.toThrow('has already approved (1 of 2)');
  });

  it('comes too late when the rollout was aborted, or the step began again, while it was looked at', async () => {
    const asking = update(ann);
    state = takeRequest(state, 'abort', { by: 'eve', reason: '', at: 2 });
    state = {
      ...state,
      rollout: {
        ...state.rollout!,
        ending: { kind: 'Failed', reason: 'Aborted', message: 'Aborted by eve.', at: 2 },
      },
    };
    reviews[0]?.answer(true);
    await expect(asking).rejects.toThrow('already being reverted: Aborted by eve.');
    state = waiting;
    const next = update(bob);
    state = { ...waiting, rollout: { ...waiting.rollout!, progress: { is: 'Pausing', since: 2 } } };
    reviews[1]?.answer(true);
    await expect(next).rejects.toThrow('The rollout does not wait for approval');
    expect(by()).toEqual([]);
  });

  it.each<[string, RawValue | undefined]>([
    ['nothing', undefined],
    ['a request as other signals have it', sent({ by: 'ann', reason: 'looks fine' })],
    ['what cannot be read', RawValue.fromPayload({ metadata: {}, data: new Uint8Array([1]) })],
  ])('by a signal with %s does not count, fails nothing, and is told', async (_, said) => {
    await signal(said);
    await signal(said);
    expect(reviews).toEqual([]);
    expect(by()).toEqual([]);
    expect(eventsOf()).toEqual([expect.stringMatching(/^ApprovalRefused: The approval lacks/)]);
    await expect(async () => update(said)).rejects.toThrow('Send it with okractl approve.');
  });

  it('by a signal counts as by an update', async () => {
    const asking = signal(ann);
    reviews[0]?.answer(true);
    await asking;
    expect(by()).toEqual(['ann']);
  });

  it('is not looked at when many others are', async () => {
    const all = Array.from({ length: 20 }, (_, index) =>
      signal(sent({ by: `b${index}`, groups: ['release'] })),
    );
    await expect(async () => update(ann)).rejects.toThrow('more than 20 approvals at once');
    for (const { answer } of reviews) answer(false);
    await Promise.all(all);
    expect(reviews).toHaveLength(20);
    expect(by()).toEqual([]);
  });
});
