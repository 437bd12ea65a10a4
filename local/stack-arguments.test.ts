import { describe, expect, it } from 'vitest';

import { readStackArguments } from './stack-arguments.mjs';

describe('readStackArguments', () => {
  it.each([
    ['stays without arguments', [], { do: 'Stay' }],
    ['runs a command', ['--run', 'kubectl get nodes'], { do: 'Run', command: 'kubectl get nodes' }],
    ['runs a command given with =', ['--run=exit 3'], { do: 'Run', command: 'exit 3' }],
  ])('%s', (_, args, want) => expect(readStackArguments(args)).toEqual(want));

  it.each([
    ['an option that there is not', ['--rum', 'x'], '--rum'],
    ['a command without --run', ['kubectl'], 'kubectl'],
    ['an empty command', ['--run', ' '], 'Expected a command after --run'],
    ['--run without a command', ['--run'], '--run'],
  ])('refuses %s with the usage', (_, args, want) => {
    const request = readStackArguments(args);
    expect(request).toMatchObject({ do: 'Explain', status: 2, message: expect.stringContaining(want) });
    expect(request).toMatchObject({ message: expect.stringContaining('Usage: npm run stack') });
  });

  it('explains itself with status 0', () => {
    expect(readStackArguments(['--help'])).toMatchObject({ do: 'Explain', status: 0 });
  });
});
