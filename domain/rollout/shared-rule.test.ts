import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../crds/cell.ts';
import { describeRoute, routeOf } from '../load-balancers/load-balancer.ts';
import type { RequestName } from '../model/request.ts';
import { SimulatedListener, type SimulatedChange } from '../testing/simulated-listener.ts';
import { weightsOf } from '../testing/builders.ts';
import { Simulation } from '../testing/simulation.ts';

const { OKRA_MODEL_RUNS, OKRA_MODEL_SEED } = process.env;
const RUNS = Number(OKRA_MODEL_RUNS ?? 60);
const SEED = OKRA_MODEL_RUNS === undefined ? 20_261_124 : Number(OKRA_MODEL_SEED ?? Date.now() % 2 ** 31);

const names = ['web', 'api'] as const;
type Name = (typeof names)[number];
const versions = ['1.0.0', '1.1.0', '2.0.0'] as const;
const steps = [{ setWeight: 20 }, { pause: { duration: '10m' } }, { setWeight: 50 }, { pause: {} }];
const keyOf = (name: Name) => ({ namespace: 'default', name });
const groupOf = (name: Name, version: string): string => `${name}-${version}`;
const tagOf = (name: Name): string => SimulatedListener.tagOf(keyOf(name));

/** Two Cells on one listener, that ask for the same rule to begin with. */
class Two {
  readonly listener = new SimulatedListener();
  readonly cells: Record<Name, Simulation>;
  /** Which rules a Cell was ever told to serve by. */
  readonly known: Record<Name, Set<string>> = { web: new Set(), api: new Set() };
  /** The groups that carried traffic after the last write to each rule, and after the last of each Cell. */
  readonly #carrying = new Map<string, readonly string[]>();
  readonly #serves: Record<Name, readonly string[]> = { web: [], api: [] };
  #checked = 0;

  constructor() {
    this.cells = { web: this.#made('web'), api: this.#made('api') };
  }

  #made(name: Name): Simulation {
    const updateStrategy = { type: 'Canary', canary: { steps } } as const;
    return new Simulation({ updateStrategy }, { key: keyOf(name), listener: this.listener });
  }

  /** Deletes a Cell; its configuration goes with it, and with `Delete` its rule as well. */
  remove(name: Name, policy: 'Retain' | 'Delete'): void {
    const cell = this.cells[name];
    cell.isDeleted = true;
    cell.wake();
    cell.run();
    const route = routeOf(cell.spec);
    const { listener } = this;
    if (policy === 'Delete') listener.remove(cell, [cell.ruleNamed, route && listener.at(route)]);
    const { now, groups, spec } = cell;
    // One of the same name comes back later, and knows nothing of the one before.
    const next = this.#made(name);
    Object.assign(next, { now, groups, spec });
    this.cells[name] = next;
  }

  /** The first owns the rule, and rolls out a newer version; the other may take it over, and does when it looks again. */
  begin(): void {
    const { web, api } = this.cells;
    web.provision('1.0.0', groupOf('web', '1.0.0'));
    this.settle();
    web.provision('1.1.0', groupOf('web', '1.1.0'));
    web.wake();
    api.provision('1.0.0', groupOf('api', '1.0.0'));
    this.settle();
    api.adopt = true;
  }

  settle(): void {
    for (const name of names) {
      const cell = this.cells[name];
      cell.run();
      const arn = cell.ruleNamed?.arn;
      if (arn !== undefined) this.known[name].add(arn);
    }
    const { changes } = this.listener;
    for (; this.#checked < changes.length; this.#checked += 1) {
      const change = changes[this.#checked];
      if (change !== undefined) this.#hold(change);
    }
  }

  #hold({ by, owner, isNew, adopt, shares, arn }: SimulatedChange): void {
    const name = by.name === 'web' ? 'web' : 'api';
    const said = `${name} writes ${arn} of ${owner}: ${JSON.stringify(shares?.map((one) => [one.name, one.weight]))}`;
    if (shares === undefined) return expect(owner, `own deletion: ${said}`).toBe(tagOf(name));
    const isOwn = isNew || owner === tagOf(name) || (owner === undefined && this.known[name].has(arn));
    expect(isOwn || adopt, `one writer: ${said}`).toBe(true);
    expect(
      shares.reduce((sum, { weight }) => sum + weight, 0),
      `sum: ${said}`,
    ).toBe(100);
    // Whoever takes a rule over begins with what it serves, and gives others nothing that they did not have.
    const had = new Set([...(this.#carrying.get(arn) ?? []), ...this.#serves[name]]);
    const carrying = shares.filter((one) => one.weight > 0).map((one) => one.name);
    expect(
      carrying.filter((one) => !one.startsWith(name) && !had.has(one)),
      `others gain nothing: ${said}`,
    ).toEqual([]);
    this.#carrying.set(arn, carrying);
    this.#serves[name] = carrying;
    if (isNew) this.known[name].add(arn);
  }
}

const ingressAt = (spec: CellSpec, change: object): CellSpec => {
  const block = spec.ingress.awsApplicationLoadBalancer;
  if (block?.listener === undefined) throw new Error('Expected a rule.');
  const rule = { ...block.listener.rule, ...change };
  return {
    ...spec,
    ingress: { ...spec.ingress, awsApplicationLoadBalancer: { ...block, listener: { rule } } },
  };
};

class Do implements fc.Command<object, Two> {
  readonly what: string;
  readonly effect: (two: Two) => void;
  constructor(what: string, effect: (two: Two) => void) {
    this.what = what;
    this.effect = effect;
  }
  check(): boolean {
    return true;
  }
  run(_: object, two: Two): void {
    this.effect(two);
    two.settle();
  }
  toString(): string {
    return this.what;
  }
}

const ofOne = (what: string, effect: (cell: Simulation, two: Two, name: Name) => void) =>
  fc
    .constantFrom(...names)
    .map((name) => new Do(`${name}: ${what}`, (two) => effect(two.cells[name], two, name)));

const commands = [
  ...versions.map((version) =>
    ofOne(`provision ${version}`, (cell, _, name) => {
      cell.provision(version, groupOf(name, version));
      cell.wake();
    }),
  ),
  ...(['pause', 'resume', 'promote', 'promoteFull', 'abort', 'retry'] as RequestName[]).map((request) =>
    ofOne(request, (cell) => cell.ask(request)),
  ),
  ...[10, 10, 20].map((priority) =>
    ofOne(`priority ${priority}`, (cell) => {
      cell.edit((spec) => ingressAt(spec, { priority }));
      cell.wake();
    }),
  ),
  ...['a.com', 'b.com'].map((host) =>
    ofOne(`host ${host}`, (cell) => {
      cell.edit((spec) => ingressAt(spec, { hosts: [host] }));
      cell.wake();
    }),
  ),
  ...[true, false].map((adopt) =>
    ofOne(`adopt ${adopt}`, (cell) => {
      cell.adopt = adopt;
      cell.wake();
    }),
  ),
  ...([undefined, 'x', 'web', 'api'] as const).map((owner) =>
    fc.constantFrom(10, 20).map(
      (priority) =>
        new Do(`tag rule ${priority} as ${owner}`, ({ listener: { rules } }) => {
          const tag = owner === 'web' || owner === 'api' ? tagOf(owner) : owner;
          for (const rule of rules)
            if (describeRoute(rule.route).includes(`rule ${priority} `)) rule.owner = tag;
        }),
    ),
  ),
  ofOne('look for drift', (cell) => cell.lookForDrift()),
  ofOne('look for drift again', (cell) => cell.lookForDrift()),
  ofOne('refuse a write', (cell) => void (cell.refusals = 1)),
  ofOne('answer 500', (cell) => void (cell.lateRefusals = 1)),
  ofOne('show a read late', (cell) => void (cell.staleReads = 1)),
  ...(['Nothing', 'Asking', 'Writing', 'Confirming'] as const).map((after) =>
    ofOne(`lose a write after ${after}`, ({ cuts }) => void cuts.push({ is: 'Lost', after })),
  ),
  ofOne('continue in another run', (cell) => cell.renew()),
  ofOne('lose Temporal', (cell) => cell.loseTemporal()),
  ofOne('delete the configuration', (cell) => {
    cell.isKnown = false;
    cell.wake();
  }),
  ofOne('delete the Cell, Retain', (_, two, name) => two.remove(name, 'Retain')),
  ofOne('delete the Cell, Delete', (_, two, name) => two.remove(name, 'Delete')),
  ...[1_000, 60_000, 600_000, 7_200_000].map((time) =>
    fc.constant(
      new Do(`pass ${time} ms`, ({ cells }) => {
        for (let part = 0; part < 4; part += 1) for (const name of names) cells[name].pass(time / 4);
      }),
    ),
  ),
];

const isConflict = ({ status }: Simulation): boolean =>
  status.conditions?.some(
    ({ type, status: holds, reason }) => type === 'Degraded' && holds === 'True' && reason === 'Conflict',
  ) === true;

/** Takes away what may hold, and lets both come to rest; the one that has no rule of its own says so. */
function comeToRest(two: Two): void {
  // A tag that names nobody was edited by hand, and only by hand can it be put right.
  for (const rule of two.listener.rules.filter(({ owner }) => owner === 'x'))
    rule.owner = tagOf(two.known.web.has(rule.arn) ? 'web' : 'api');
  for (const name of names) {
    const cell = two.cells[name];
    Object.assign(cell, { adopt: false, refusals: 0, lateRefusals: 0, staleReads: 0, cuts: [] });
    if (cell.groups.length === 0) cell.provision('1.0.0', groupOf(name, '1.0.0'));
  }
  for (let round = 0; round < 6; round += 1) {
    for (const name of names) {
      const cell = two.cells[name];
      cell.lookForDrift();
      cell.wake();
      cell.ask('resume');
      cell.pass(1_200_000);
    }
    two.settle();
  }
}

function stands(two: Two, name: Name): 'serves' | 'conflict' {
  const cell = two.cells[name];
  const { ruleNamed, told, last, spec } = cell;
  const route = routeOf(spec);
  if (isConflict(cell)) return 'conflict';
  expect(ruleNamed?.owner ?? tagOf(name), `${name} serves by its own rule`).toBe(tagOf(name));
  expect(ruleNamed && route && describeRoute(ruleNamed.route), `${name} is where its spec says`).toBe(
    route && describeRoute(route),
  );
  expect(ruleNamed?.shares, `${name} claims what is served`).toEqual(told);
  expect(last.do, `${name} is at rest: ${JSON.stringify(last)}`).toBe('Close');
  return 'serves';
}

describe('two Cells that want one rule', () => {
  /** The first was rolling out when the other took its rule over. */
  function taken(): Two {
    const two = new Two();
    two.begin();
    two.cells.api.wake();
    two.settle();
    two.cells.api.ask('promoteFull');
    two.cells.api.pass(60_000);
    two.settle();
    two.cells.web.lookForDrift();
    two.settle();
    return two;
  }
  const served = ({ listener }: Two) =>
    listener.rules.map(({ owner, shares }) => [owner, weightsOf(shares.filter(({ weight }) => weight > 0))]);

  it('the one that has lost it says so, and moves nothing', () => {
    const two = taken();
    const { web } = two.cells;
    web.ask('abort');
    for (const name of names) two.cells[name].pass(3_600_000);
    two.settle();
    expect([isConflict(web), isConflict(two.cells.api)]).toEqual([true, false]);
    expect(served(two)).toEqual([[tagOf('api'), { 'api-1.0.0': 100 }]]);
    two.remove('web', 'Delete');
    expect(served(two)).toEqual([[tagOf('api'), { 'api-1.0.0': 100 }]]);
  });

  it('the one that has lost it continues where it is sent, also when it is reverted', () => {
    const two = taken();
    const { web } = two.cells;
    web.ask('abort');
    web.pass(60_000);
    web.edit((spec) => ingressAt(spec, { priority: 20 }));
    web.wake();
    web.pass(1_200_000);
    two.settle();
    expect(isConflict(web)).toBe(false);
    expect(served(two)).toMatchObject([
      [tagOf('api'), { 'api-1.0.0': 100 }],
      [tagOf('web'), {}],
    ]);
  });

  it(`it has one writer, and the other says so (${RUNS} runs)`, { timeout: 600_000 + RUNS * 100 }, () => {
    fc.assert(
      fc.property(
        fc.commands(commands, { maxCommands: 30, size: 'max' }),
        fc.boolean(),
        (list, isUnderWay) => {
          const two = new Two();
          if (isUnderWay) two.begin();
          fc.modelRun(() => ({ model: {}, real: two }), list);
          comeToRest(two);
          const stood = names.map((name) => stands(two, name));
          for (const [index, name] of names.entries()) {
            if (stood[index] === 'serves') continue;
            // The loser goes elsewhere, as the message asks.
            const cell = two.cells[name];
            cell.edit((spec) => ingressAt(spec, { priority: 30 + index }));
            cell.wake();
          }
          comeToRest(two);
          expect(names.map((name) => stands(two, name))).toEqual(['serves', 'serves']);
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
