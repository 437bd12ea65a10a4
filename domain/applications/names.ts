import { withoutEnd } from '../text.ts';
import type { CheckStage } from './decision.ts';

/** The name of the Cell that moves the traffic of an application. */
export const childName = (cell: string, application: string): string => `${cell}-${application}`;

/** The name of the ControllerRevision that keeps a revision. */
export const revisionName = (cell: string, application: string, number: number): string =>
  `${childName(cell, application)}-${number}`;

/** The name of the AWSTargetGroup of a cluster; clusters that share a target group have that of the first. */
export const targetGroupName = (cell: string, application: string, cluster: string): string =>
  `${childName(cell, application)}-${cluster}`;

/** What is measured, and of which revision with which forward config. */
export interface Measured {
  readonly cell: string;
  readonly application: string;
  readonly stage: CheckStage;
  readonly check: string;
  readonly number: number;
  readonly hash: string;
}

const MARKS = { prechecks: 'pre', checks: 'run', postchecks: 'post' } as const;

// It is the value of a label as well.
const LONGEST = 63;

/** The name of a Job, an AnalysisRun or of Checks: whatever has to be measured once has one name. */
export function measurementName({ cell, application, stage, check, number, hash }: Measured): string {
  const suffix = `-${MARKS[stage]}-${number}-${hash.slice(0, 8)}`;
  const stem = `${childName(cell, application)}-${check}`.slice(0, LONGEST - suffix.length);
  return `${withoutEnd(stem, /[^a-z0-9]/)}${suffix}`;
}
