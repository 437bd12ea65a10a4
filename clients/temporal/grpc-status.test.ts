import { ServiceError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { detailsOf, hasCode, isRefusal } from './grpc-status.ts';

const answer = (code: number, details: string): Error =>
  Object.assign(new Error(`${code} SOMETHING: ${details}`), { code, details, metadata: {} });

const wrapped = (cause: Error): Error => new ServiceError('Failed to start Workflow', { cause });

describe('what a server says against a call', () => {
  it.each([
    ['is its own words', answer(7, 'Request unauthorized.'), 'Request unauthorized'],
    [
      'is found behind what the client says',
      wrapped(answer(5, 'Namespace nope is not found.')),
      'Namespace nope is not found',
    ],
    [
      'is that there was none in time',
      wrapped(answer(4, 'Deadline exceeded after 0.000s')),
      'no answer in time',
    ],
    ['is the message where it has said nothing', answer(14, ''), '14 SOMETHING: '],
    ['is what was thrown where it was not the server', new Error('tcp connect error'), 'tcp connect error'],
  ])('%s', (_, error, want) => expect(detailsOf(error)).toBe(want));

  it('has a code, also behind what the client says', () => {
    expect(hasCode(wrapped(answer(3, 'no mapping')), 3)).toBe(true);
    expect(hasCode(new Error('no mapping'), 3)).toBe(false);
  });

  it.each([
    [7, true],
    [16, true],
    [14, false],
  ])('is a refusal of who calls: %i %s', (code, want) =>
    expect(isRefusal(wrapped(answer(code, '')))).toBe(want),
  );
});
