import { expect, it } from 'vitest';
import { aCell, paused } from './testing/objects.ts';
import { runOkractl, type FakeObject, type FakeWorld } from './testing/shell.ts';

const by = { by: 'ann', reason: '', time: '2026-11-22T09:59:00Z' };
const staged = {
  apiVersion: 'community.kubestellar.io/v1alpha1',
  kind: 'StagedBindingPolicy',
  metadata: { name: 'nginx' },
  spec: { stages: [{ name: 'dev' }] },
  status: { phase: 'Waiting', message: 'Waiting.', activeStage: 'dev' },
} as FakeObject;
const run = (words: string, world: FakeWorld = {}) =>
  runOkractl([...words.split(' '), '--dry-run'], { objects: [aCell(paused), staged], ...world });

it.each([
  ['promote web', 'promote of Cell default/web would be accepted. Finishes the current step'],
  ['promote web --of v2.0.0 --step 2', 'would be accepted. Finishes the current step'],
  ['promote web --full', 'promote --full of Cell default/web would be accepted. Shifts all traffic to 2.0.0'],
  ['abort web', 'abort of Cell default/web would be accepted. Shifts all traffic back to 1.0.0'],
  ['promote sbp/nginx --stage dev', 'promote of StagedBindingPolicy nginx would be accepted. Finishes stage'],
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
  ['for another stage', 'promote sbp/nginx --stage prod', {}, 3, 'not {"stage":"dev"}'],
  [
    'that makes no sense',
    'retry web',
    {},
    3,
    'Possible requests: pause, resume, promote, promote --full, abort',
  ],
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
