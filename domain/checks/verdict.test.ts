import { describe, expect, it } from 'vitest';
import type { Check } from '../../crds/check.ts';
import { COUNT_ANNOTATION, verdictOfAll } from './verdict.ts';

type Phase = NonNullable<NonNullable<Check['status']>['phase']>;

const aCheck = (
  phase: Phase,
  { observed = 'hash', count = '1', reason = '' } = {},
): Pick<Check, 'metadata' | 'status'> => ({
  metadata: { name: 'dd-a', annotations: { 'analysis-hash': 'hash', [COUNT_ANNOTATION]: count } },
  status: { phase, reason, message: 'Said.', analysis: { observedHash: observed } },
});
const two = (...phases: Phase[]) => phases.map((phase) => aCheck(phase, { count: '2' }));

describe('the verdict of the Checks of a step', () => {
  it.each<[string, Pick<Check, 'metadata' | 'status'>[], string]>([
    ['one that is successful', [aCheck('Successful')], 'Successful'],
    ['one that is successful of another analysis', [aCheck('Successful', { observed: 'old' })], 'Running'],
    ['one that failed of another analysis', [aCheck('Failed', { observed: 'old' })], 'Running'],
    [
      'one that cannot be measured as it is written',
      [aCheck('Error', { observed: '', reason: 'InvalidObject' })],
      'Error',
    ],
    ['one that was not answered for another analysis', [aCheck('Error', { observed: 'old' })], 'Running'],
    ['one that was terminated', [aCheck('Terminated')], 'Error'],
    ['one without a status', [{ metadata: { name: 'dd' } }], 'Pending'],
    ['none', [], 'Error'],
    ['one of two', [aCheck('Successful', { count: '2' })], 'Error'],
    ['two that are successful', two('Successful', 'Successful'), 'Successful'],
    ['two of which one measures', two('Successful', 'Running'), 'Running'],
    ['two of which one failed', two('Running', 'Failed'), 'Failed'],
    ['two of which one is inconclusive', two('Inconclusive', 'Successful'), 'Inconclusive'],
    ['two of which one may still fail', two('Inconclusive', 'Running'), 'Running'],
  ])('%s', (_, checks, phase) => expect(verdictOfAll('dd', checks)).toMatchObject({ name: 'dd', phase }));

  it('says which of them decides', () =>
    expect(verdictOfAll('dd', two('Successful', 'Failed')).message).toBe('dd-a: Said.'));
});
