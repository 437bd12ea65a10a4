import { describe, expect, it } from 'vitest';
import { cell as cellKind, type CellSpec } from '../../crds/cell.ts';
import { weightsOf } from '../../domain/testing/builders.ts';
import { rollingOut } from '../../domain/testing/rolling-out.ts';
import type { Simulation } from '../../domain/testing/simulation.ts';
import { readableSpec } from './observe-cell.ts';

const steps = [
  { setWeight: 20 },
  { pause: { duration: '10m' } },
  { analysis: { templates: [{ templateName: 'rate' }] } },
];
const valid = {
  progressDeadline: '2h',
  updateStrategy: { type: 'Canary', canary: { steps } },
} satisfies Partial<CellSpec>;

/** Specs as another release may let them pass, or a definition that is older than okrad. */
const written: readonly [string, object][] = [
  ['a step of a kind that does not exist yet', canary([{ setWeight: 20 }, { rehearse: { for: '1m' } }])],
  ['steps that are no list', canary('none' as never)],
  ['a step that is empty', canary([...steps, {}])],
  ['a deadline in days', { progressDeadline: '1d' }],
  ['a bake in days', { updateStrategy: { type: 'Canary', bake: { duration: '1d' } } }],
  ['a window in a time zone that nobody knows', { windows: [{ timeZone: 'Mars', start: '9', end: '17' }] }],
  ['more replicas than fit', { replicas: 9 }],
];

function canary(list: readonly object[]): object {
  return { updateStrategy: { type: 'Canary', canary: { steps: list } } };
}

/** Writes what is not valid, as a look shows it. */
function edit(web: Simulation, change: object): void {
  web.edit((spec) => {
    const edited = { ...spec, ...change } as CellSpec;
    const parsed = cellKind.parseSpec(edited);
    web.problems = parsed.ok ? [] : parsed.problems;
    return { ...readableSpec(edited), ingress: spec.ingress };
  });
  expect(web.problems).not.toEqual([]);
  web.wake();
}

describe('a spec with a field that nobody can read', () => {
  const stages: readonly [string, (web: Simulation) => void][] = [
    ['in a pause', () => undefined],
    ['as it is measured', (web) => web.pass(11 * 60_000)],
    ['after its run was lost', (web) => web.loseTemporal()],
    ['as someone aborts it', (web) => web.ask('abort')],
  ];
  for (const [what, change] of written)
    it.each(stages)(`takes a rollout back that is %s: ${what}`, (_, reach) => {
      const web = rollingOut(valid);
      web.run();
      expect(weightsOf(web.served)).toEqual({ a: 80, b: 20 });
      reach(web);
      edit(web, change);
      web.pass(60_000);
      expect(weightsOf(web.served)).toEqual({ a: 100, b: 0 });
      expect(web.status).toMatchObject({ phase: 'Failed', reason: 'InvalidSpec' });
    });

  it('keeps the others, and takes the defaults for those', () => {
    const spec = readableSpec({ ...rollingOut(valid).spec, minHealthyTargets: 3, replicas: 9, settle: '1d' });
    expect(spec).toMatchObject({ ...valid, minHealthyTargets: 3, replicas: 1 });
    expect(spec).not.toHaveProperty('settle');
  });
});
