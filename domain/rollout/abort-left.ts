import { begin } from './begin.ts';
import { servesSince } from './history.ts';
import type { Decision } from '../model/decision.ts';
import type { GuardInput } from '../gates/guard.ts';
import type { TargetGroup } from '../model/target-group.ts';
import type { PresentCell } from '../versions/candidate.ts';
import { carriersBeside, UNKNOWN_VERSION } from '../versions/stable.ts';
import { groupByVersion, type VersionSet } from '../versions/version.ts';
import { includes } from '../load-balancers/weights.ts';

/**
 * Takes up what a lost run has left and someone aborts, before anything else becomes of it: an abort blocks what it takes
 * back, and no other version in its place, so that has to be a rollout first. Where nothing is known to be served, the
 * status says what was (`stable` is undefined).
 */
export function abortLeft(input: GuardInput, stable: VersionSet | undefined): Decision | undefined {
  const { observed, cell, state } = input;
  const { rollout, desiredVersion: version, history } = cell.status;
  const { stableVersion = servesSince(history) ?? UNKNOWN_VERSION } = cell.status;
  const isGoingOn = rollout !== undefined && rollout.ending === undefined;
  if (state.requests.abort === undefined || !isGoingOn || version === undefined) return undefined;
  if (stable === undefined) {
    // A status that calls both the same remembers nothing of what it was to replace.
    const before = version === stableVersion ? [] : remembered(stableVersion, cell);
    const canary = { version, groups: remembered(version, cell) };
    return begin({ stable: { version: stableVersion, groups: before }, canary }, input);
  }
  const others = carriersBeside(stable, observed, cell);
  const [other] = others;
  if (version !== stable.version) return begin({ stable, canary: inRule(version, others, input) }, input);
  // Of what it was to replace nothing is in the rule any more.
  return begin({ stable: other ?? { version: stableVersion, groups: [] }, canary: stable }, input);
}

/** What a version had in the rule by the status. */
const remembered = (version: string, { status }: PresentCell): readonly TargetGroup[] =>
  (status.targetGroups ?? [])
    .filter((one) => (one.version ?? UNKNOWN_VERSION) === version)
    .map(({ name, arn }) => ({ name, arn }));

/** What a version has in the rule: what is not there has nothing to give back, and may have no room. */
function inRule(version: string, others: readonly VersionSet[], { observed }: GuardInput): VersionSet {
  const { sets } = groupByVersion(observed.selected);
  const groupsIn = (some: readonly VersionSet[]): readonly TargetGroup[] =>
    some.find((set) => set.version === version)?.groups ?? [];
  const carrying = groupsIn(others);
  const idle = groupsIn(sets).filter((one) => includes(observed.weighted, one) && !includes(carrying, one));
  return { version, groups: [...carrying, ...idle] };
}
