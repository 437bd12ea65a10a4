import { describe, expect, it } from 'vitest';
import { fitted } from './fitted.ts';

const short = { type: 'string', maxLength: 3 };
const schema = {
  type: 'object',
  properties: {
    name: short,
    list: { type: 'array', items: { type: 'object', properties: { name: short } } },
    byName: { type: 'object', additionalProperties: short },
    time: { ...short, format: 'date-time' },
    phase: { ...short, enum: ['Synced'] },
    arn: { ...short, 'x-kubernetes-validations': [{ rule: 'true' }] },
    endless: { type: 'string' },
  },
};

describe('what is fitted into a schema', () => {
  it.each([
    ['is as it was when it has room', { name: 'abc', count: 1, none: null }, undefined],
    ['has its texts cut', { name: 'abcd' }, { name: 'ab…' }],
    [
      'has the texts in lists cut',
      { list: [{ name: 'a' }, { name: 'abcd' }] },
      { list: [{ name: 'a' }, { name: 'ab…' }] },
    ],
    ['has the texts in maps cut', { byName: { long: 'abcd' } }, { byName: { long: 'ab…' } }],
    [
      'keeps what has to be of a form',
      { time: '2026-11-22T00:00:00Z', phase: 'Synced', arn: 'arn:aws' },
      undefined,
    ],
    [
      'keeps what has no limit',
      { endless: 'abcd', unknown: 'abcd', nested: { unknown: ['abcd'] } },
      undefined,
    ],
  ])('%s', (_, value, want) => expect(fitted(value, schema)).toEqual(want ?? value));
});
