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
    ['status.nope', 'the invalid path status.nope: there is no nope'],
    ['spec.steps[1].setWeight', 'the invalid path spec.steps[1].setWeight: there is no 1'],
    ['spec.replicas.more', 'there is no more'],
    ['status.constructor', 'there is no constructor'],
    ['spec.ingress', 'got spec.ingress, which is an object'],
    ['spec.steps', 'got spec.steps, which is a list'],
    ['spec.none', 'which is nothing'],
    ['metadata.labels[team]', 'Expected fieldPath to be a path such as'],
    ['.status', 'Expected fieldPath to be a path such as'],
    ['status..desiredVersion', 'Expected fieldPath to be a path such as'],
    ["metadata.labels['team", 'Expected fieldPath to be a path such as'],
  ])('%s is refused with what to do', (path, problem) =>
    expect(readField(cell, path)).toEqual({ ok: false, problem: expect.stringContaining(problem) as string }),
  );

  it('refuses a long path that is none without trying every way to read it', () => {
    const began = performance.now();
    expect(readField({}, `${'a'.repeat(10_000)}'`).ok).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
