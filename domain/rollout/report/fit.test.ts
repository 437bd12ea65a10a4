import { describe, expect, it } from 'vitest';
import { fitToSchema } from './fit.ts';

const short = { type: 'string', maxLength: 3 };
const schema = {
  type: 'object',
  properties: {
    message: short,
    version: short,
    list: { type: 'array', items: { type: 'object', properties: { cause: short, version: short } } },
    rollout: { type: 'object', properties: { reason: short } },
    by: { type: 'string' },
  },
};

describe('what is fitted into a schema', () => {
  it.each([
    ['is as it was when it has room', { message: 'abc', count: 1, none: null }, undefined],
    ['has its texts cut', { message: 'abcd' }, { message: 'ab…' }],
    [
      'has the texts in lists cut',
      { list: [{ cause: 'a' }, { cause: 'abcd' }] },
      { list: [{ cause: 'a' }, { cause: 'ab…' }] },
    ],
    ['has the texts in objects cut', { rollout: { reason: 'abcd' } }, { rollout: { reason: 'ab…' } }],
    [
      'keeps what would be something else, whatever becomes of it',
      { version: '1.2.3', list: [{ version: '1.2.3' }] },
      undefined,
    ],
    ['keeps what has no limit', { by: 'abcd', unknown: { message: 'abcd' } }, undefined],
  ])('%s', (_, value, want) => expect(fitToSchema(value, schema)).toEqual(want ?? value));
});
