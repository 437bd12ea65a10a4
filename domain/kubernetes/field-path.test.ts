import { describe, expect, it } from 'vitest';
import { readField } from './field-path.ts';

const cell = {
  metadata: { labels: { team: 'web', 'example.com/team': 'shop' } },
  spec: { replicas: 1, ingress: { type: 'ALB' }, steps: [{ setWeight: 20 }], paused: false, none: null },
  status: { desiredVersion: '2.0.0' },
};

describe('a field path', () => {
  it.each([
    ['status.desiredVersion', '2.0.0'],
    ['spec.replicas', '1'],
    ['spec.paused', 'false'],
    ['spec.steps[0].setWeight', '20'],
    ['spec.steps.0.setWeight', '20'],
    ['metadata.labels.team', 'web'],
    ["metadata.labels['example.com/team']", 'shop'],
    ['metadata.labels["example.com/team"]', 'shop'],
  ])('%s reads a value', (path, value) => expect(readField(cell, path)).toEqual({ ok: true, value }));

  it.each([
    ['status.nope', 'invalid fieldPath status.nope: a Cell has no nope'],
    ['spec.steps[1].setWeight', 'invalid fieldPath spec.steps[1].setWeight: a Cell has no 1'],
    ['spec.replicas.more', 'a Cell has no more'],
    ['status.constructor', 'a Cell has no constructor'],
    ['spec.ingress', 'invalid fieldPath spec.ingress: it is an object'],
    ['spec.steps', 'invalid fieldPath spec.steps: it is a list'],
    ['spec.none', 'it is nothing'],
    ['metadata.labels[team]', 'must be a path such as'],
    ['.status', 'must be a path such as'],
    ['status..desiredVersion', 'must be a path such as'],
    ["metadata.labels['team", 'must be a path such as'],
  ])('%s is refused with what to do', (path, problem) =>
    expect(readField(cell, path)).toEqual({ ok: false, problem: expect.stringContaining(problem) as string }),
  );

  it('refuses a long path that is none without trying every way to read it', () => {
    const began = performance.now();
    expect(readField({}, `${'a'.repeat(10_000)}'`).ok).toBe(false);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
