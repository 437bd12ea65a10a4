import { describe, expect, it } from 'vitest';
import { fakeClock, noLog } from '../testing/fakes.ts';
import { firstListing } from './first-listing.ts';

const kind = (name: string, optional: boolean, namespace?: string) => ({
  kind: { kind: name },
  optional,
  ...(namespace === undefined ? {} : { namespace }),
});
const cells = kind('Cell', false);
const groups = kind('AWSTargetGroup', false);
const secrets = kind('Secret', true);
const jobs = kind('Job', true, 'shop');

/** The first list of these kinds, how often it has begun, and what is missing. */
function aListing(sources: readonly ReturnType<typeof kind>[] = [cells, groups, secrets, jobs]) {
  const clock = fakeClock();
  const stop = new AbortController();
  const seen = { begun: 0, missing: 'nothing' as string | undefined };
  const listing = firstListing(sources, {
    begin: () => (seen.begun += 1),
    waiting: (reason) => (seen.missing = reason),
    log: noLog,
    signal: stop.signal,
    sleep: clock.sleep,
  });
  return { ...listing, seen, clock, stop };
}

describe('the first list of all kinds', () => {
  it('begins what comes after it once every kind is listed', async () => {
    const { listed, hasBegun, seen, clock } = aListing();
    expect(seen.missing).toBe('not listed yet: Cell, AWSTargetGroup, Secret, Job in shop');
    for (const one of [jobs, cells, secrets]) listed(one);
    expect([seen.begun, hasBegun()]).toEqual([0, false]);
    listed(groups);
    await clock.advance(60_000);
    expect([seen.begun, hasBegun(), seen.missing]).toEqual([1, true, undefined]);
  });

  it('continues after a while without kinds that Okra can do without, and says that they are missing', async () => {
    const { listed, seen, clock } = aListing();
    for (const one of [cells, jobs, groups]) listed(one);
    await clock.advance(29_000);
    expect(seen.begun).toBe(0);
    await clock.advance(2_000);
    expect([seen.begun, seen.missing]).toEqual([1, 'not listed yet: Secret']);
    listed(secrets);
    expect([seen.begun, seen.missing]).toEqual([1, undefined]);
  });

  it('waits for those that Okra needs, however long it takes', async () => {
    const { listed, seen, clock } = aListing();
    for (const one of [cells, secrets, jobs]) listed(one);
    await clock.advance(600_000);
    expect(seen.begun).toBe(0);
  });

  it('continues after a while without a namespace that cannot be read, and not without all of them', async () => {
    const [inShop, inBank] = [kind('Cell', false, 'shop'), kind('Cell', false, 'bank')];
    const { listed, seen, clock } = aListing([inShop, inBank, groups, jobs]);
    for (const one of [groups, jobs]) listed(one);
    await clock.advance(600_000);
    expect(seen.begun).toBe(0);
    listed(inShop);
    await clock.advance(31_000);
    expect([seen.begun, seen.missing]).toEqual([1, 'not listed yet: Cell in bank']);
  });

  it('begins nothing after the signal', async () => {
    const { listed, seen, clock, stop } = aListing();
    for (const one of [cells, groups]) listed(one);
    stop.abort();
    await clock.advance(60_000);
    expect(seen.begun).toBe(0);
  });
});
