import { describe, expect, it } from 'vitest';
import { readDemoArguments } from './arguments.mjs';

describe('readDemoArguments', () => {
  it.each([
    ['shows the rollout alone', [], { keep: false, discovery: false, staged: false }],
    ['keeps everything', ['--keep'], { keep: true, discovery: false, staged: false }],
    ['shows discovery', ['--discovery', '--keep'], { keep: true, discovery: true, staged: false }],
    ['shows stages', ['--staged'], { keep: false, discovery: false, staged: true }],
  ])('%s', (_, args, wish) => expect(readDemoArguments(args)).toEqual({ do: 'Show', wish }));

  it.each([
    ['an option that there is not', ['--fast'], 'got --fast.'],
    ['a word', ['fast', '--keep'], 'got fast.'],
  ])('refuses %s with the usage', (_, args, want) => {
    const request = readDemoArguments(args);
    expect(request).toMatchObject({ do: 'Explain', status: 2, message: expect.stringContaining(want) });
    expect(request).toMatchObject({ message: expect.stringContaining('Usage: npm run demo') });
  });

  it('explains itself with status 0', () => {
    expect(readDemoArguments(['--help'])).toMatchObject({ do: 'Explain', status: 0 });
  });
});
