import { expect, it } from 'vitest';
import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { sameStatus } from '../rollout/report/events.ts';

const since = '2026-11-23T10:00:00Z';
const saying = (mark: object, more: StagedBindingPolicyStatus = {}): StagedBindingPolicyStatus => ({
  phase: 'Completed',
  stages: [{ name: 'prod', phase: 'Fulfilled', since, ...mark }],
  ...more,
});

it.each<[string, StagedBindingPolicyStatus, boolean]>([
  ['that a stage was completed', saying({ completed: true }), false],
  ['when it was written', saying({}, { lastSyncTime: since }), true],
  ['who has written it', saying({}, { writer: { runId: 'a', activity: 7 } }), true],
  ['how many objects fulfil it', saying({ objects: 2 }), false],
  ['another phase', saying({}, { phase: 'Progressing' }), false],
])('a status that differs in %s', (_, status, isSame) => {
  expect(sameStatus(status, saying({}))).toBe(isSame);
});
