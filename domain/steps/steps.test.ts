import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { aStepAnalysis } from '../testing/checks.ts';
import { aJob } from '../testing/jobs.ts';
import { describeStep, measures, movesTraffic, parseStep, waitsForPerson } from './index.ts';
import { resumeAt, weightAfter } from './plan.ts';
import { nameStep, stepOf } from './step.ts';

const templates = [{ templateName: 'rate' }, { templateName: 'errors' }];
const experiment = { templates: [{ name: 'canary', specRef: 'canary' as const, replicas: 1 }], analyses: [] };

describe('a step', () => {
  it.each<[CanaryStep, string, { moves?: true; measures?: true; waits?: true }]>([
    [{ setWeight: 20 }, "set the canary's weight to 20", { moves: true }],
    [{ setWeight: 0 }, "set the canary's weight to 0", { moves: true }],
    [{ stepWeight: 5 }, "add 5 to the canary's weight", { moves: true }],
    [{ pause: {} }, 'pause until resumed', { waits: true }],
    [{ pause: { duration: 30 } }, 'pause for 30s', {}],
    [{ pause: { duration: '10m' } }, 'pause for 10m', {}],
    [{ analysis: { templates } }, 'analyse rate, errors', { measures: true }],
    [{ experiment }, 'experiment with canary', { measures: true }],
    [{ job: aJob({ name: 'smoke' }) }, 'run job smoke', { measures: true }],
    [{ approval: { groups: ['release', 'sre'], count: 2 } }, 'approval by 2 of release, sre', {}],
    [{ check: { name: 'dd', analysis: aStepAnalysis() } }, 'check dd', { measures: true }],
  ])('%j is to %s', (written, text, is) => {
    const step = parseStep(written);
    expect(describeStep(step)).toBe(text);
    expect(movesTraffic(step)).toBe(is.moves === true);
    expect(measures(step)).toBe(is.measures === true);
    expect(waitsForPerson(step)).toBe(is.waits === true);
  });

  it('gives the canary its weight on top of the steps before it, up to the whole', () => {
    const steps = [{ stepWeight: 60 }, { pause: {} }, { stepWeight: 60 }, { setWeight: 10 }].map(parseStep);
    expect(steps.map((_, index) => weightAfter(steps, index))).toEqual([60, 60, 100, 10]);
  });

  it.each<[readonly CanaryStep[], number, number]>([
    [[{ pause: {} }, { setWeight: 20 }, { pause: {} }, { setWeight: 50 }], 0, 0],
    [[{ pause: {} }, { setWeight: 20 }, { pause: {} }, { setWeight: 50 }], 20, 1],
    [[{ pause: {} }, { setWeight: 20 }, { pause: {} }, { setWeight: 50 }], 10, 0],
    [[{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }], 30, 1],
    [[{ stepWeight: 20 }, { stepWeight: 30 }], 30, 1],
    [[{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }], 50, 3],
    [[{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }], 50, 3],
    [[{ setWeight: 20 }, { pause: {} }], 100, 2],
    [[{ pause: {} }, { setWeight: 100 }, { pause: {} }], 100, 1],
    [[{ pause: {} }, { setWeight: 100 }], 20, 0],
    [[], 20, 0],
  ])('%j continue from the weight %i at index %i', (written, weight, index) =>
    expect(resumeAt(written.map(parseStep), weight)).toBe(index),
  );

  it.each([
    [0, '1/2', 'step 1 of 2'],
    [1, '2/2', 'step 2 of 2'],
    [2, 'done', 'the end of the steps'],
  ])('with index %i is %s, in a sentence %s', (index, number, name) => {
    const rollout = { index, steps: [{ setWeight: 20 }, { pause: {} }].map(parseStep) };
    expect([stepOf(rollout), nameStep(rollout)]).toEqual([number, name]);
  });

  it('without a key says what was expected', () =>
    expect(() => parseStep({})).toThrow('Expected a step to have one of setWeight, stepWeight, pause,'));
});
