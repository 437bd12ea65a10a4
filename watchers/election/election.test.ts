import { describe, expect, it } from 'vitest';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { runElection, type Lease } from './election.ts';
import { fakeClock, noLog, turn, type FakeClock } from '../testing/fakes.ts';

type Leases = Pick<KubernetesClient, 'get' | 'create' | 'patch'>;

const key = { namespace: 'default', name: 'okra' };

/** A Lease kept as the API server keeps it: a write needs the version that was read. */
function aLease() {
  let record: Lease | undefined;
  let version = 0;
  const state = { isAway: false, isSlow: false, reads: 0, writes: 0 };
  const granted: (() => void)[] = [];
  const reach = () => {
    if (state.isAway) throw new KubernetesError({ status: 0, reason: 'Unreachable', message: 'away' });
  };
  const store = (spec: Lease['spec']): Lease => {
    version += 1;
    state.writes += 1;
    const metadata = { ...key, resourceVersion: String(version) };
    record = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec: { ...record?.spec, ...spec },
    };
    return record;
  };
  const conflict = (reason: string) => new KubernetesError({ status: 409, reason, message: reason });
  /** Who asks may give up before a slow server has done what it was asked for. */
  const served = async (claim: () => Lease, signal: AbortSignal): Promise<Lease> => {
    if (!state.isSlow) return claim();
    const doing = new Promise<Lease>((resolve) => {
      granted.push(() => resolve(Promise.resolve().then(claim)));
    });
    const givenUp = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
    });
    return await Promise.race([doing, givenUp]);
  };
  const replace = ({ metadata: { resourceVersion }, spec }: Lease): Lease => {
    if (record === undefined)
      throw new KubernetesError({ status: 404, reason: 'NotFound', message: 'NotFound' });
    if (record.metadata.resourceVersion !== resourceVersion) throw conflict('Conflict');
    return store(spec);
  };
  interface Call {
    readonly signal: AbortSignal;
  }
  const lease = {
    get: async () => {
      reach();
      state.reads += 1;
      return await Promise.resolve(record);
    },
    create: async ({ spec }: Lease, { signal }: Call) => {
      reach();
      if (record !== undefined) throw conflict('AlreadyExists');
      return await served(() => store(spec), signal);
    },
    patch: async (_kind: unknown, _key: unknown, change: Lease, { signal }: Call) => {
      reach();
      return await served(() => replace(change), signal);
    },
  } as unknown as Leases;
  const remove = () => (record = undefined);
  /** Does what a slow server was asked for so far, and lets it be fast from then on. */
  const catchUp = (): void => {
    state.isSlow = false;
    for (const grant of granted.splice(0)) grant();
  };
  const put = (holderIdentity: string, leaseDurationSeconds: number, leaseTransitions = 3) =>
    store({ holderIdentity, leaseDurationSeconds, leaseTransitions });
  return { lease, state, holder: () => record?.spec?.holderIdentity, put, remove, catchUp };
}

/** Someone who stands for election. */
function aCandidate(identity: string, of: { lease: Leases; clock: FakeClock }) {
  const stop = new AbortController();
  const led: string[] = [];
  const ended = runElection({
    kubernetes: of.lease,
    lease: key,
    identity,
    lead: async (signal) => {
      led.push('begin');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      led.push('end');
    },
    log: noLog,
    signal: stop.signal,
    timing: { now: of.clock.now, sleep: of.clock.sleep },
  });
  return { led, stop, ended };
}

const SECOND = 1000;

describe('the election', () => {
  it('is won by whoever finds no lease', async () => {
    const clock = fakeClock();
    const { lease, holder } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    expect(holder()).toBe('a');
    expect(a.led).toEqual(['begin']);
    a.stop.abort();
    await a.ended;
  });

  it('has one winner, however long it continues', async () => {
    const clock = fakeClock();
    const { lease, holder } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    const b = aCandidate('b', { lease, clock });
    for (let n = 0; n < 60; n += 1) await clock.advance(SECOND);
    expect(holder()).toBe('a');
    expect([a.led, b.led]).toEqual([['begin'], []]);
    a.stop.abort();
    b.stop.abort();
    await Promise.all([a.ended, b.ended]);
  });

  it('gives the lease back on the way out, and the next one leads at once', async () => {
    const clock = fakeClock();
    const { lease, holder } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    const b = aCandidate('b', { lease, clock });
    await turn();
    a.stop.abort();
    await a.ended;
    expect(a.led).toEqual(['begin', 'end']);
    expect(holder()).toBe('');
    await clock.advance(2 * SECOND);
    expect(holder()).toBe('b');
    b.stop.abort();
    await b.ended;
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('gives the lease back when a renewal under way is done %s that', async (_, isBefore) => {
    const clock = fakeClock();
    const { lease, state, holder, catchUp } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    state.isSlow = true;
    await clock.advance(1.5 * SECOND);
    if (!isBefore) state.isSlow = false;
    a.stop.abort();
    await turn();
    catchUp();
    await a.ended;
    expect(holder()).toBe('');
  });

  it('gives back a lease that it is given on the way out', async () => {
    const clock = fakeClock();
    const { lease, state, holder, put, catchUp } = aLease();
    put('', 1);
    state.isSlow = true;
    const a = aCandidate('a', { lease, clock });
    await turn();
    a.stop.abort();
    await turn();
    catchUp();
    await a.ended;
    expect(a.led).toEqual([]);
    expect(holder()).toBe('');
  });

  it('waits out the lease of someone who died, from when it was first seen', async () => {
    const clock = fakeClock();
    const { lease, holder, put } = aLease();
    put('dead', 15);
    const b = aCandidate('b', { lease, clock });
    await clock.advance(14.5 * SECOND);
    expect(holder()).toBe('dead');
    // It is looked at when it runs out, and not only at the next full second.
    await clock.advance(0.5 * SECOND);
    expect(holder()).toBe('b');
    b.stop.abort();
    await b.ended;
  });

  it('takes its own lease up again at once after a restart', async () => {
    const clock = fakeClock();
    const { lease, put } = aLease();
    put('a', 15);
    const a = aCandidate('a', { lease, clock });
    await turn();
    expect(a.led).toEqual(['begin']);
    a.stop.abort();
    await a.ended;
  });

  it('ends to lead before the lease runs out when it cannot renew, and stands again', async () => {
    const clock = fakeClock();
    const { lease, state } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    state.isAway = true;
    await clock.advance(4 * SECOND);
    expect(a.led).toEqual(['begin']);
    await clock.advance(3 * SECOND);
    expect(a.led).toEqual(['begin', 'end']);
    state.isAway = false;
    await clock.advance(2 * SECOND);
    expect(a.led).toEqual(['begin', 'end', 'begin']);
    a.stop.abort();
    await a.ended;
  });

  it('continues leading through an outage that is shorter than the deadline', async () => {
    const clock = fakeClock();
    const { lease, state } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    state.isAway = true;
    await clock.advance(4 * SECOND);
    state.isAway = false;
    await clock.advance(30 * SECOND);
    expect(a.led).toEqual(['begin']);
    a.stop.abort();
    await a.ended;
  });

  it('ends to lead when someone else holds the lease', async () => {
    const clock = fakeClock();
    const { lease, holder, put } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    put('b', 15, 1);
    await clock.advance(2 * SECOND);
    expect(a.led).toEqual(['begin', 'end']);
    expect(holder()).toBe('b');
    a.stop.abort();
    await a.ended;
    expect(holder()).toBe('b');
  });

  it('is kept up by writes alone, as long as nobody else writes', async () => {
    const clock = fakeClock();
    const { lease, state } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    const { reads, writes } = state;
    for (let n = 0; n < 10; n += 1) await clock.advance(SECOND);
    expect(state.reads - reads).toBe(0);
    expect(state.writes - writes).toBe(10);
    a.stop.abort();
    await a.ended;
  });

  it('continues leading when the lease was changed by others but not taken, or deleted', async () => {
    const clock = fakeClock();
    const { lease, holder, put, remove } = aLease();
    const a = aCandidate('a', { lease, clock });
    await turn();
    put('a', 15, 0);
    await clock.advance(2 * SECOND);
    remove();
    await clock.advance(2 * SECOND);
    expect(a.led).toEqual(['begin']);
    expect(holder()).toBe('a');
    a.stop.abort();
    await a.ended;
  });

  it('fails when leading fails, and gives the lease back', async () => {
    const { lease, holder } = aLease();
    const election = runElection({
      kubernetes: lease,
      lease: key,
      identity: 'a',
      lead: async () => await Promise.reject(new Error('broken')),
      log: noLog,
      signal: new AbortController().signal,
      timing: fakeClock(),
    });
    await expect(election).rejects.toThrow('broken');
    expect(holder()).toBe('');
  });
});
