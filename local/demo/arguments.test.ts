import { describe, expect, it } from 'vitest';
import { componentSets } from '../tools.mjs';
import { componentsOf, readDemoArguments } from './arguments.mjs';

const nothing = { keep: false, discovery: false, staged: false, applications: false, onStack: false };

describe('readDemoArguments', () => {
  it.each([
    ['shows the rollout alone', [], { ...nothing }],
    ['keeps everything', ['--keep'], { ...nothing, keep: true }],
    ['shows discovery', ['--discovery', '--keep'], { ...nothing, keep: true, discovery: true }],
    ['shows stages', ['--staged'], { ...nothing, staged: true }],
    ['shows applications', ['--applications'], { ...nothing, applications: true }],
    ['uses what runs', ['--discovery', '--on-stack'], { ...nothing, discovery: true, onStack: true }],
  ])('%s', (_, args, wish) => expect(readDemoArguments(args)).toEqual({ do: 'Show', wish }));

  it.each([
    ['an option that there is not', ['--fast'], 'got --fast.'],
    ['a word', ['fast', '--keep'], 'got fast.'],
    ['stages on a stack that runs', ['--staged', '--on-stack'], 'Expected --staged or --on-stack, got both.'],
  ])('refuses %s with the usage', (_, args, want) => {
    const request = readDemoArguments(args);
    expect(request).toMatchObject({ do: 'Explain', status: 2, message: expect.stringContaining(want) });
    expect(request).toMatchObject({ message: expect.stringContaining('Usage: npm run demo') });
  });

  it('explains itself with status 0', () => {
    expect(readDemoArguments(['--help'])).toMatchObject({ do: 'Explain', status: 0 });
  });
});

describe('componentsOf', () => {
  const { full } = componentSets;
  it.each([
    [
      'Argo Rollouts and ELBv2 for a rollout, and nothing that runs pods',
      {},
      ['etcd', 'kube-apiserver', 'temporal', 'argo-rollouts', 'moto', 'elbv2-proxy'],
    ],
    ['neither of these for stages', { staged: true }, ['etcd', 'kube-apiserver', 'temporal']],
    [
      'all but Argo Rollouts for applications',
      { applications: true },
      full.filter((name) => name !== 'argo-rollouts'),
    ],
    ['none on a stack that runs', { applications: true, onStack: true }, []],
  ])('names %s', (_, wish, want) => expect(componentsOf({ ...nothing, ...wish })).toEqual(want));
});
