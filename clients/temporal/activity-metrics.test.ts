import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { outcomeOf, tellResult } from './activity-metrics.ts';

describe('what is counted of activities', () => {
  it.each([
    ['the type of a failure', ApplicationFailure.create({ type: 'Throttled' }), 'Throttled'],
    ['a cancellation', new CancelledFailure('given up'), 'Cancelled'],
    ['anything else as unavailable', new Error('socket hang up'), 'Unavailable'],
  ])('is %s', (_, error, want) => expect(outcomeOf(error)).toBe(want));

  const drift = { type: 'AWSApplicationLoadBalancer', place: 'arn' };
  it.each([
    [
      'drift',
      'findDrift',
      drift,
      { watched: 3, drifted: [{}, {}] },
      'okra_drift_found_total{type="AWSApplicationLoadBalancer"} 2',
    ],
  ])('is %s', async (_, activity, asked, result, want) => {
    const metrics = createMetrics();
    tellResult(metrics, activity, { asked, result });
    expect(await metrics.scrape()).toContain(want);
  });

  it('is nothing of results that nobody counts', async () => {
    const metrics = createMetrics();
    tellResult(metrics, 'observeCell', { asked: undefined, result: null });
    expect(await metrics.scrape()).not.toMatch(/okra_writes_total\{/);
  });
});
