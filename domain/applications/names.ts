import { withoutEnd } from '../text.ts';
import type { CheckStage } from './situation.ts';

/** The name of the Cell that moves the traffic of an application. */
export const childName = (cell: string, application: string): string => `${cell}-${application}`;

/** The name of the ControllerRevision that keeps a revision. */
export const revisionName = (cell: string, application: string, number: number): string =>
  `${childName(cell, application)}-${number}`;

/** The name of the AWSTargetGroup of a cluster; clusters that share a target group have that of the first. */
export const targetGroupName = (cell: string, application: string, cluster: string): string =>
  `${childName(cell, application)}-${cluster}`;

const MARKS = { prechecks: 'pre', checks: 'run', postchecks: 'post' } as const;

// It is the value of a label as well.
const LONGEST = 63;

/** The name of a Job, an AnalysisRun or of Checks: whatever has to be measured once, of a revision with a forward config, has one name. */
export function measurementName(of: {
  readonly cell: string;
  readonly application: string;
  readonly stage: CheckStage;
  readonly check: string;
  readonly number: number;
  readonly hash: string;
}): string {
  const { cell, application, stage, check, number, hash } = of;
  // The names of other applications and their checks may make the same text: `api-internal` and `smoke`, `api` and `internal-smoke`.
  const suffix = `-${MARKS[stage]}-${number}-${fingerprint(`${application} ${check} ${hash}`)}`;
  return `${shortened(`${childName(cell, application)}-${check}`, LONGEST - suffix.length)}${suffix}`;
}

const OF_REVISION = /-(?:pre|run|post)-([0-9]{1,9})-[0-9a-f]{1,8}$/;

/** The number of the revision that something was measured for, by its name; undefined when it has none. */
export function measuredRevision(name: string): number | undefined {
  const number = OF_REVISION.exec(name.slice(-LONGEST))?.[1];
  return number === undefined ? undefined : Number(number);
}

/** A text cut to so many characters, with something in place of its end that tells it from others. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const mark = `-${fingerprint(text)}`;
  return `${withoutEnd(text.slice(0, longest - mark.length), /[^a-z0-9]/)}${mark}`;
}

/** Eight digits that differ for texts that differ, as far as eight can (FNV-1a). */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
