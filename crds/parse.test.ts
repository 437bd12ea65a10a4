import { describe, expect, it } from 'vitest';
import { badCells } from '../test/support/samples/bad-cells.ts';
import { cell, steps, withRule } from '../test/support/samples/cell.ts';
import { samples } from '../test/support/samples/crds.ts';
import { resources } from './index.ts';
import { cell as cellKind } from './cell.ts';

function problemsOf(spec: unknown): readonly string[] {
  const parsed = cellKind.parseSpec(spec);
  return parsed.ok ? [] : parsed.problems;
}

function kindOf(kind: string): (typeof resources)[number] {
  const found = resources.find((resource) => resource.kind === kind);
  if (found === undefined) throw new Error(`Expected a kind of Okra, got ${kind}.`);
  return found;
}

describe('reading a spec', () => {
  it.each(samples.filter((one) => one.refusal === undefined))('takes $kind: $name', ({ kind, spec }) => {
    expect(kindOf(kind).parseSpec(spec)).toMatchObject({ ok: true });
  });

  it.each(samples.filter((one) => one.refusal !== undefined))(
    'refuses $kind: $name, and says where',
    ({ kind, spec, refusal }) => {
      const parsed = kindOf(kind).parseSpec(spec);
      expect(parsed.ok ? [] : parsed.problems.join('\n')).toContain(refusal);
    },
  );

  it('fills in what was left out', () => {
    expect(cellKind.parseSpec(cell({ updateStrategy: {} }))).toMatchObject({
      ok: true,
      value: { replicas: 1, minHealthyTargets: 1, healthTimeout: '10m', updateStrategy: { type: 'Canary' } },
    });
  });

  it('leaves out what no field is for', () => {
    expect(cellKind.parseSpec(cell({ replica: 3 }))).not.toHaveProperty('value.replica');
  });
});

describe('reading a Cell', () => {
  const problemsWith = (name: string, spec: unknown = cell()): readonly string[] => {
    const parsed = cellKind.parse({ metadata: { name }, spec });
    return parsed.ok ? [] : parsed.problems;
  };

  it('takes a name that can be the value of a label', () => {
    expect(problemsWith('c'.repeat(63))).toEqual([]);
  });

  it('refuses a longer name, and says why', () => {
    const name = 'c'.repeat(64);
    expect(problemsWith(name)).toEqual([
      `metadata.name of a Cell must have at most 63 characters, because it is the value of a label on its AnalysisRuns and Experiments. Choose a shorter name. Got "${name}".`,
    ]);
  });

  it('tells of the name and of the spec at once', () => {
    expect(problemsWith('c'.repeat(64), cell({ replicas: 0 }))).toHaveLength(2);
  });
});

describe('a problem', () => {
  it.each([
    [
      'of a value says where it is, what was got and what was expected',
      steps({ setWeight: 10 }, { setWeight: 120 }),
      'Invalid spec.updateStrategy.canary.steps[1].setWeight: 120, must be at most 100.',
    ],
    [
      'of a field that is not there says so',
      withRule({ hosts: ['a.com'] }),
      'spec.ingress.awsApplicationLoadBalancer.listener.rule.priority is required.',
    ],
    [
      'of a text that a rule refuses says what was got',
      steps({ pause: { duration: '5x' } }),
      'spec.updateStrategy.canary.steps[0].pause.duration: must be a duration such as 30 (seconds), 5s, 10m or 1h30m, of at most a year (8760h). Correct the duration. Got "5x".',
    ],
    [
      'of replicas that could never roll gives the reason and the way out',
      cell({ replicas: 3 }),
      'spec.replicas must be 1 or 2, because the target groups of the old and the new version must fit into the five that an ELBv2 rule forwards to. Set it to 1 or 2, and put several clusters of a version into one target group with an AWSTargetGroupBinding. Got 3.',
    ],
    [
      'of a block that a rule refuses does not repeat the block',
      steps({}),
      'spec.updateStrategy.canary.steps[0]: Each of steps must have exactly one of setWeight, stepWeight, pause, analysis, experiment, check, job and approval. Write one step for each of them.',
    ],
    ['of nothing at all names the spec', undefined, 'spec is required.'],
  ])('%s', (_, spec, problem) => expect(problemsOf(spec)).toEqual([problem]));

  it('stays short, however long the value is', () => {
    const [problem] = problemsOf(withRule({ priority: 1, hosts: Array(6).fill('h'.repeat(100)) }));
    expect(problem?.length).toBeLessThan(300);
  });

  it('is told of every bad field at once', () => {
    expect(problemsOf(cell({ replicas: 0, minHealthyTargets: 0 }))).toHaveLength(2);
  });

  it.each(badCells)('of %s is a full sentence', (_, spec) => {
    for (const problem of problemsOf(spec)) expect(problem).toMatch(/^(?!.*Expected ).+[.]$/s);
  });
});
