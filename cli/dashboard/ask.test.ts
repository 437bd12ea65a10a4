import { describe, expect, it } from 'vitest';
import { aCell } from '../okractl/testing/objects.ts';
import { ask } from './calls.ts';
import { aWorld, type WorldOptions } from './testing/world.ts';

const target = { kind: 'Cell', key: { namespace: 'default', name: 'web' } } as const;
const aborted = (options: WorldOptions) =>
  ask(
    {
      session: aWorld({ objects: [aCell({ phase: 'Reverted', message: 'm' })], ...options }).session,
      by: 'ann',
    },
    { target, name: 'abort', reason: '', seen: {} },
  );

describe('a request of the page that nobody answers', () => {
  it('is accepted where Temporal keeps it, and refused where no run is open any more', async () => {
    const answer = { is: 'Unanswered', message: 'no answer in time' } as const;
    expect(await aborted({ answer })).toMatchObject({ status: 202 });
    const refused = await aborted({ answer, isClosed: true });
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.message).toContain('no running rollout (Reverted');
  });
});
