import { describe, expect, it } from 'vitest';
import { buildPolicySpec, isAsDesired } from './policy.ts';
import { aSpec } from './testing/world.ts';

const clusterSelectors = [{ matchLabels: { env: 'dev' } }];
const objectSelectors = [{ matchLabels: { app: 'web' } }];
const spec = aSpec([{ clusterSelectors }], { downsync: [{ objectSelectors }] });
const [dev] = spec.stages;

/** Whether a BindingPolicy is as asked that says this of its clusters and objects. */
function isAsAsked(clusters: object, objects: object): boolean {
  const wanted = buildPolicySpec(spec, dev!);
  const found = JSON.parse(JSON.stringify(wanted)) as { clusterSelectors: object[]; downsync: object[] };
  const says = {
    clusterSelectors: found.clusterSelectors.map((one) => ({ ...one, ...clusters })),
    downsync: found.downsync.map((one) => ({ ...one, ...objects })),
  };
  return isAsDesired(says, wanted);
}

describe('a BindingPolicy that says all that it should', () => {
  it.each<[string, object, object]>([
    ['a label of its clusters', { matchLabels: { env: 'dev', region: 'eu' } }, {}],
    ['an expression', { matchExpressions: [{ key: 'region', operator: 'Exists' }] }, {}],
    ['a label of its objects', {}, { objectSelectors: [{ matchLabels: { app: 'web', tier: 'a' } }] }],
    ['namespaces', {}, { namespaces: ['nginx'] }],
    ['the core group', {}, { apiGroup: '' }],
    ['that objects are only created', {}, { createOnly: true }],
    ['that statuses are copied back', {}, { wantSingletonReportedState: true }],
  ])('is not as asked when it says as well: %s', (_, clusters, objects) => {
    expect(isAsAsked(clusters, objects)).toBe(false);
  });

  it.each<[string, object, object]>([
    ['nothing', {}, {}],
    ['what says nothing', { matchExpressions: [] }, { namespaces: [], createOnly: false, apiGroup: null }],
    ['a field that Okra does not know', { weight: 1 }, { priority: 'high' }],
  ])('is as asked when it says besides: %s', (_, clusters, objects) => {
    expect(isAsAsked(clusters, objects)).toBe(true);
  });

  it('is as asked with a field beside its lists, which an apply would not take away', () => {
    const wanted = buildPolicySpec(spec, dev!);
    const says = { ...wanted, wantSingletonReportedState: true };
    expect(isAsDesired(says, wanted)).toBe(true);
  });
});
