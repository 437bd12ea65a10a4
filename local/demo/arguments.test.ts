import { describe, expect, it } from 'vitest';
import { readDemoArguments } from './arguments.mjs';

const nothing = { keep: false, discovery: false, staged: false, applications: false };

describe('readDemoArguments', () => {
  it.each([
    ['shows the rollout alone', [], { ...nothing }],
    ['keeps everything', ['--keep'], { ...nothing, keep: true }],
    ['shows discovery', ['--discovery', '--keep'], { ...nothing, keep: true, discovery: true }],
    ['shows stages', ['--staged'], { ...nothing, staged: true }],
    ['shows applications', ['--applications'], { ...nothing, applications: true }],
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
