import { describe, expect, it } from 'vitest';
import { clusters, jobs } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';
import { fingerprint } from './names.ts';
import type { ObservedApplications } from './observation.ts';
import { recorded } from './revisions.ts';

/** As long as EKS gives it. */
const CA = 'x'.repeat(1480);

/** A look at as many applications and clusters as a Cell takes, each of which has been edited often. */
function largest(): ObservedApplications {
  const names = Array.from({ length: 64 }, (_, index) => `jobs-${index}-in-a-region-with-a-long-name`);
  const applications = Array.from({ length: 16 }, (_, index) => ({
    ...jobs(),
    name: `application-${index}`,
  }));
  const { applications: seen, ...observed } = new ApplicationsWorld({
    clusters: clusters(...names),
    applications,
  }).observe();
  return {
    ...observed,
    applications: seen.map((one) => {
      if (!one.resolved.ok) throw new Error(one.resolved.problems.join(' '));
      const { value, hash } = one.resolved;
      const content = {
        ...value,
        clusters: value.clusters.map((cluster) => ({ ...cluster, certificateAuthority: CA })),
      };
      return {
        ...one,
        resolved: { ok: true, hash, value: content },
        revisions: Array.from({ length: 10 }, (_, index) => {
          const number = 10 - index;
          return { number, hash, version: String(number), isGood: number === 3, content };
        }),
      };
    }),
  };
}

describe('what a history keeps of a look', () => {
  it('is no more than Temporal takes, however much a Cell has', () => {
    const look = largest();
    expect(JSON.stringify(look).length).toBeGreaterThan(2_000_000);
    const kept = recorded(look, fingerprint);
    expect(JSON.stringify(kept).length).toBeLessThan(1_000_000);
    expect(kept.applications[0]?.revisions.map(({ number }) => number)).toEqual([10, 3]);
  });
});
