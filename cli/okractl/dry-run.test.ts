import { expect, it } from 'vitest';
import { aCell, aTargetGroup, paused } from './testing/objects.ts';
import { runOkractl, type FakeObject, type FakeWorld } from './testing/shell.ts';

const by = { by: 'ann', reason: '', time: '2026-11-22T09:59:00Z' };
const stagedWith = (dev: string): FakeObject => {
  const stages = Object.entries({ dev, test: 'Waiting', prod: 'Pending' });
  return {
    apiVersion: 'community.kubestellar.io/v1alpha1',
    kind: 'StagedBindingPolicy',
    metadata: { name: 'nginx' },
    spec: { stages: stages.map(([name]) => ({ name })) },
    status: {
      phase: 'Waiting',
      message: 'Waiting.',
      activeStage: 'test',
      stages: stages.map(([name, phase]) => ({ name, phase })),
    },
  } as FakeObject;
};
const run = (words: string, world: FakeWorld = {}) =>
  runOkractl([...words.split(' '), '--dry-run'], {
    objects: [aCell(paused), stagedWith('Passed'), aTargetGroup('web-a', '1.0.0')],
    ...world,
  });

it.each([
  ['promote web', 'promote of Cell default/web would be accepted. Finishes the current step'],
  ['promote web --of v2.0.0 --step 2', 'would be accepted. Finishes the current step'],
  ['promote web --full', 'promote --full of Cell default/web would be accepted. Shifts all traffic to 2.0.0'],
  ['abort web', 'abort of Cell default/web would be accepted. Shifts all traffic back to 1.0.0'],
  [
    'promote sbp/nginx --stage test',
    'promote of StagedBindingPolicy nginx would be accepted. Finishes stage',
  ],
  [
    'rollback sbp/nginx --to dev',
    'rollback of StagedBindingPolicy nginx would be accepted. Rolls it back to',
  ],
  ['rollback web --to 1.0.0', 'Cell default/web would be pinned to 1.0.0, which gets all traffic at once'],
  ['freeze sale --reason sale -A', 'Freeze sale would be created: it holds the rollouts of all namespaces'],
])('says of %s what it would do, and sends nothing', async (words, said) => {
  const { out, code, done } = await run(words);
  expect(out).toContain(`Dry run: `);
  expect(out).toContain(said);
  expect([code, done]).toEqual([0, []]);
});

it('accepts a pause of what is paused, as okrad does', async () => {
  const objects = [aCell({ ...paused, rollout: { ...paused.rollout!, paused: by } })];
  expect(await run('pause web', { objects })).toMatchObject({ code: 0, done: [] });
});

it.each<[string, string, FakeWorld, number, string]>([
  ['for another version', 'promote web --of 3.0.0', {}, 3, 'it is for {"version":"3.0.0"}'],
  ['for another stage', 'promote sbp/nginx --stage prod', {}, 3, 'not {"stage":"test"}'],
  [
    'that makes no sense',
    'retry web',
    {},
    3,
    'Possible requests: pause, resume, promote, promote --full, abort',
  ],
  ['to a later stage', 'rollback sbp/nginx --to prod', {}, 3, 'prod must be one of the earlier stages: dev.'],
  [
    'to a stage that was not completed',
    'rollback sbp/nginx --to dev',
    { objects: [stagedWith('RolledBack')] },
    3,
    'dev must be one of the earlier stages: none.',
  ],
  ['to a version without target groups', 'rollback web --to 1.5.0', {}, 3, 'expected 1 target groups of it'],
  ['that is not allowed', 'rollback web --to 1.0.0', { allowed: () => false }, 3, 'not let ann patch'],
  ['that nobody may make', 'freeze --reason sale', { allowed: () => false }, 3, 'not let ann create freezes'],
  [
    'of an idle Cell',
    'abort web',
    { objects: [aCell({ phase: 'Completed', message: 'm' })] },
    3,
    'Completed: m',
  ],
  ['that Kubernetes does not allow', 'abort web', { allowed: () => false }, 3, 'Kubernetes does not let ann'],
  ['of what is not there', 'abort web', { objects: [] }, 1, 'Cell default/web not found'],
])('refuses a request %s, and sends nothing', async (_, words, world, code, said) => {
  const outcome = await run(words, world);
  expect(outcome.err).toContain(said);
  expect([outcome.code, outcome.out, outcome.done]).toEqual([code, '', []]);
});
