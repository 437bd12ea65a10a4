import { describe, expect, it } from 'vitest';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { aWorld } from '../dashboard/testing/world.ts';
import { endingOf } from './shell.ts';
import { untilHolds } from './follow.ts';

const key = { namespace: 'default', name: 'r1' };
const run = { metadata: { ...key, resourceVersion: '1' } };
const failing = (status: number): Error =>
  new KubernetesError({ status, reason: `R${status}`, message: `no ${status}` });

/** Waits for an object where lists are answered one after the other, and then with the object. */
async function waited(...answers: readonly Error[]) {
  const left = [...answers];
  const told: (string | undefined)[] = [];
  const { session } = aWorld({
    snapshot: async () => {
      const error = left.shift();
      if (error !== undefined) throw error;
      return { items: [run], resourceVersion: '1' };
    },
  });
  const { signal } = new AbortController();
  const trouble = (why: string | undefined): void => void told.push(why);
  const ended = await untilHolds(session.kubernetes, { kind: ANALYSIS_RUN, key }, () => true, {
    signal,
    trouble,
  }).catch(endingOf);
  return { ended, told };
}

describe('waiting for an object', () => {
  it('ends as refused where one may not look at it', async () => {
    const { ended, told } = await waited(failing(403));
    expect(ended).toEqual({
      code: 3,
      message: expect.stringMatching(
        /does not allow you to list and watch analysisruns .* no 403/,
      ) as unknown,
    });
    expect(told).toEqual([]);
  });

  it('ends where it was deleted before one could look for the first time', async () => {
    const { session } = aWorld({ snapshot: () => Promise.resolve({ items: [], resourceVersion: '1' }) });
    const stop = AbortSignal.timeout(2_000);
    const until = { signal: stop, trouble: () => undefined };
    const of = { kind: ANALYSIS_RUN, key };
    expect(await untilHolds(session.kubernetes, of, () => true, until)).toBeUndefined();
  });

  it('says why it cannot look, and when that is over', async () => {
    const { ended, told } = await waited(failing(500));
    expect([ended, told]).toEqual([run, ['no 500', undefined]]);
  });
});
