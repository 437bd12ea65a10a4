import type { CanaryStep } from '../../crds/cell.ts';

/** The steps of the demo's Cell: a fifth of the traffic, a check, a pause, two fifths, and then everything. */
export const steps: readonly CanaryStep[] = [
  { setWeight: 20 },
  {
    analysis: {
      templates: [{ templateName: 'success-rate' }],
      args: [{ name: 'cluster-version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } }],
    },
  },
  { pause: { duration: '5s' } },
  { setWeight: 40 },
];

/** How many of 100 requests each version of the demo's clusters answers well. */
export const quality: Readonly<Record<string, number>> = {
  '1.0.0': 99.9,
  '1.1.0': 99.8,
  '1.2.0': 70,
  '2.0.0': 99.9,
};

/** One chapter of the demo: which target groups appear, and what has to come of it. */
export interface Chapter {
  readonly title: string;
  readonly version: string;
  readonly groups: readonly string[];
  readonly ends: { readonly phase: 'Completed' | 'Reverted'; readonly stable: string };
  /** Every write of weights to the listener rule, in order, by the names of the target groups. */
  readonly writes: readonly Readonly<Record<string, number>>[];
  readonly verdicts: readonly string[];
}

const share = (a: string, weightA: number, b?: string, weightB = 0): Record<string, number> => ({
  [`${a}1`]: weightA,
  [`${a}2`]: weightA,
  ...(b === undefined ? {} : { [`${b}1`]: weightB, [`${b}2`]: weightB }),
});

const installed: Chapter = {
  title: '1.0.0 is installed: nothing serves yet, so it gets all traffic at once',
  version: '1.0.0',
  groups: ['blue1', 'blue2'],
  ends: { phase: 'Completed', stable: '1.0.0' },
  writes: [share('blue', 50)],
  verdicts: [],
};

const takenOver = (version: string, title: string): Chapter => ({
  title,
  version,
  groups: ['green1', 'green2'],
  ends: { phase: 'Completed', stable: version },
  writes: [
    share('blue', 50, 'green', 0),
    share('blue', 40, 'green', 10),
    share('blue', 30, 'green', 20),
    share('blue', 0, 'green', 50),
  ],
  verdicts: ['Successful'],
});

/** What the demo shows, and is held against. */
export const chapters: readonly Chapter[] = [
  installed,
  takenOver('1.1.0', '1.1.0 appears: two new clusters take over step by step'),
  {
    title: '1.2.0 appears, and answers 30 of 100 requests with an error',
    version: '1.2.0',
    groups: ['red1', 'red2'],
    ends: { phase: 'Reverted', stable: '1.1.0' },
    writes: [share('green', 50, 'red', 0), share('green', 40, 'red', 10), share('green', 50, 'red', 0)],
    verdicts: ['Failed'],
  },
];

/** What the demo of discovery shows: the target groups of its last chapter are found in new clusters. */
export const discoveryChapters: readonly Chapter[] = [
  installed,
  takenOver(
    '2.0.0',
    '2.0.0: two EKS clusters with the tags Service=demo and version=2.0.0 are created; all else comes by itself',
  ),
];
