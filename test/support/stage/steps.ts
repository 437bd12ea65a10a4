import type { CanaryStep } from '../../../crds/cell.ts';

/** The steps of the example Cell: a fifth, a check, a pause, two fifths. */
export const exampleSteps: readonly CanaryStep[] = [
  { setWeight: 20 },
  {
    analysis: {
      args: [{ name: 'service-name', value: 'exampleapp' }],
      templates: [{ templateName: 'success-rate' }],
    },
  },
  { pause: { duration: '1s' } },
  { setWeight: 40 },
];

/** The totals that those steps let a version have, besides 0 and 100. */
export const exampleTotals: readonly number[] = [20, 40];
