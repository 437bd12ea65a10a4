import { describe, expect, it, vi } from 'vitest';
import type { CanaryStep, CellSpec } from '../../../crds/cell.ts';
import type { Decision } from '../../model/decision.ts';
import { arnOf } from '../../testing/builders.ts';
import { keepClients, rollingOut } from '../../testing/rolling-out.ts';
import { Simulation } from '../../testing/simulation.ts';
import { decide } from './decide.ts';
import * as rules from './rules.ts';

/** The rules that have decided, and what they have. */
const decided = vi.hoisted((): string[] => []);

const nameDecision = vi.hoisted(() => (decision: Decision): string => {
  const what = 'purpose' in decision ? decision.purpose : 'for' in decision ? decision.for : '';
  return `${decision.do} ${what}`.trim();
});

vi.mock('./rules.ts', async (original) => {
  type Named = readonly [string, (input: unknown) => Decision | undefined];
  const real = await original<Record<string, unknown>>();
  const record = (list: string, named: readonly Named[]): readonly Named[] =>
    named.map(([name, rule]) => [
      name,
      (input) => {
        const decision = rule(input);
        if (decision !== undefined) decided.push(`${list}: ${name}: ${nameDecision(decision)}`);
        return decision;
      },
    ]);
  return Object.fromEntries(
    Object.entries(real).map(([name, value]) => [
      name,
      Array.isArray(value) ? record(name, value as readonly Named[]) : value,
    ]),
  );
});

const MINUTE = 60_000;
const analysis = { templates: [{ templateName: 'success-rate' }], startingStep: 0 };

const canary = (...steps: readonly CanaryStep[]): Partial<CellSpec> => ({
  updateStrategy: { type: 'Canary', canary: { steps: [...steps] } },
});
const paused = canary({ setWeight: 20 }, { pause: {} });
const watched: Partial<CellSpec> = {
  updateStrategy: {
    type: 'Canary',
    canary: { steps: [{ setWeight: 20 }, { pause: {} }], analysis },
  },
};

/** A Cell that serves 1.0.0 by the groups a and others. */
function serving(...others: readonly string[]): Simulation {
  const web = new Simulation();
  web.provision('1.0.0', 'a', ...others);
  web.run();
  return web;
}

/** A rollout of 2.0.0, by the group b, that waits in a pause at weight 20. */
function rolling(spec: Partial<CellSpec> = paused): Simulation {
  const web = rollingOut(spec);
  web.pass(MINUTE);
  return web;
}

type Change = (web: Simulation) => void;

const gone =
  (name: string): Change =>
  (web) => {
    web.groups = web.groups.filter((group) => group.name !== name);
  };

const sick =
  (name: string): Change =>
  (web) => {
    web.unhealthy.add(arnOf(name));
    web.lookForHealth();
  };

/** 3.0.0 comes, and a Freeze holds it. */
const held: Change = (web) => {
  web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
  web.provision('3.0.0', 'z');
  web.wake();
  web.run();
};

/** 2.0.0 comes, and its window is shut. */
const shut: Change = (web) => {
  const hour = String((new Date(web.now).getUTCHours() + 12) % 24).padStart(2, '0');
  const windows = [{ timeZone: 'UTC', start: `${hour}:00`, end: `${hour}:59` }];
  web.edit((spec) => ({ ...spec, windows }));
  web.provision('2.0.0', 'z');
  web.wake();
  web.run();
};

const both =
  (...changes: readonly Change[]): Change =>
  (web) => {
    for (const change of changes) change(web);
  };

const unknown: Change = (web) => {
  web.isKnown = false;
};

const lostRule: Change = (web) => {
  web.served = [];
  web.isKnown = false;
};

type Example = readonly [rule: string, decision: string, before: () => Simulation, change: Change];

const examples: readonly Example[] = [
  [
    'restRules: What was refused waits for its backoff',
    'Wait Backoff',
    serving,
    both(gone('a'), (web) => {
      web.refusals = 1;
      web.provision('0.9.0', 'z');
    }),
  ],
  ['restRules: What the load balancer serves already is adopted', 'Shift Adopting', serving, unknown],
  ['restRules: The health of targets is read', 'CheckHealth', () => serving('c'), sick('a')],
  [
    'restRules: The weight of a target group without healthy targets moves to the others of its version',
    'Shift Evacuating',
    () => serving('c'),
    sick('a'),
  ],
  [
    'restRules: A rollout that is only in the status is continued',
    'ReadLostRun',
    rolling,
    (web) => web.loseTemporal(),
  ],
  [
    'restRules: An invalid spec changes nothing',
    'Close',
    serving,
    (web) => {
      web.problems = ['invalid spec.replicas: must be at least 1.'];
    },
  ],
  [
    'firstRules: The load balancer is read where it may serve already',
    'Inspect',
    () => new Simulation(),
    (web) => web.provision('1.0.0', 'a'),
  ],
  ['firstRules: The version that served last is installed again', 'Shift Reinstalling', serving, lostRule],
  [
    'firstRules: The first version is installed, or waited for',
    'Shift Installing',
    () => new Simulation(),
    (web) => web.provision('1.0.0', 'a'),
  ],
  [
    'servingRules: Another version falls back, rolls back or begins its rollout',
    'Begin',
    serving,
    (web) => web.provision('2.0.0', 'z'),
  ],
  [
    'servingRules: Another version falls back, rolls back or begins its rollout',
    'Shift FallingBack',
    serving,
    both(gone('a'), (web) => web.provision('0.9.0', 'z')),
  ],
  [
    'servingRules: While that is held, target groups that are gone leave the rule',
    'Shift RemovingTargetGroups',
    () => serving('c'),
    both(held, gone('c')),
  ],
  [
    'servingRules: While that is held, an edit of the rule is applied',
    'Shift Reconfiguring',
    serving,
    both(shut, keepClients),
  ],
  [
    'servingRules: While that is held, idle target groups leave the rule',
    'Shift DetachingTargetGroups',
    () => {
      const web = rolling();
      web.ask('abort');
      web.run();
      return web;
    },
    held,
  ],
  ['servingRules: The other version waits, or there is no room for it', 'Wait Freeze', serving, held],
  [
    'servingRules: The weight is spread over the target groups of the version that serves',
    'Shift Rebalancing',
    serving,
    (web) => web.provision('1.0.0', 'c'),
  ],
  ['servingRules: An edit of the rule is applied', 'Shift Reconfiguring', serving, keepClients],
  [
    'servingRules: Idle target groups leave the rule, and the run closes',
    'Shift DetachingTargetGroups',
    rolling,
    (web) => web.ask('promoteFull'),
  ],
  ['endingRules: An abort reverts', 'End', rolling, (web) => web.ask('abort')],
  [
    'endingRules: A rollout past its deadline reverts',
    'End',
    () =>
      rolling({
        ...canary({ setWeight: 20 }, { analysis: { templates: analysis.templates } }),
        progressDeadline: '5m',
      }),
    () => undefined,
  ],
  ['endingRules: A rollout that the Cell no longer asks for is withdrawn', 'End', rolling, gone('b')],
  [
    'endingRules: A failed background analysis reverts',
    'End',
    () => rolling(watched),
    (web) => web.conclude('Failed'),
  ],
  ['endingRules: A canary without a healthy target reverts', 'End', rolling, sick('b')],
  [
    'rolloutRules: The load balancer is read where no object says what it serves',
    'Inspect',
    rolling,
    unknown,
  ],
  ['rolloutRules: A rollout that has ended reverts', 'Shift Reverting', rolling, (web) => web.ask('abort')],
  ['rolloutRules: What the load balancer serves already is adopted', 'Shift Adopting', rolling, unknown],
  ['rolloutRules: The health of targets is read', 'CheckHealth', rolling, sick('b')],
  ['rolloutRules: A rollout is withdrawn where nothing is served any more', 'End', rolling, lostRule],
  [
    'stepRules: The background analysis is read',
    'ReadMeasurement',
    () => rolling(watched),
    (web) => web.conclude('Failed'),
  ],
  [
    'stepRules: Stable target groups that are gone leave the rule',
    'Shift RemovingTargetGroups',
    rolling,
    gone('a'),
  ],
  [
    'stepRules: The weight of a target group without healthy targets moves to the others of its version',
    'Shift Evacuating',
    () => {
      const web = serving('c');
      web.edit((spec) => ({ ...spec, ...paused }));
      web.provision('2.0.0', 'b', 'd');
      web.wake();
      web.pass(MINUTE);
      return web;
    },
    sick('a'),
  ],
  ['stepRules: A pause holds the rollout', 'Wait Resume', rolling, (web) => web.ask('pause')],
  [
    'stepRules: What was refused waits for its backoff',
    'Wait Backoff',
    rolling,
    (web) => {
      web.refusals = 1;
      web.ask('promote');
    },
  ],
  [
    'stepRules: Edited steps take effect',
    'Replan',
    rolling,
    (web) => web.edit((spec) => ({ ...spec, ...canary({ setWeight: 30 }) })),
  ],
  ['stepRules: An edit of the rule is applied', 'Shift Reconfiguring', rolling, keepClients],
  [
    'stepRules: The background analysis is started, or holds the rollout',
    'StartMeasurement',
    rolling,
    (web) => web.edit((spec) => ({ ...spec, ...watched })),
  ],
  ['stepRules: The step is taken', 'Shift ShiftingTraffic', rolling, (web) => web.ask('promote')],
];

describe('the rules of a Cell', () => {
  it.each(examples)('%s: %s', (rule, decision, before, change) => {
    const web = before();
    decided.length = 0;
    change(web);
    web.wake();
    web.pass(15 * MINUTE);
    expect(decided).toContain(`${rule}: ${decision}`);
  });

  it('release a configuration that is being deleted, whatever the Cell is at', () => {
    for (const web of [serving(), rolling()]) {
      decided.length = 0;
      const deletion = { isUnderWay: true, isHeld: true, policy: 'Retain' } as const;
      decide({ ...web.seen(), deletion }, web.state, web.now);
      expect(decided).toEqual([
        'cellRules: A load balancer configuration that is being deleted is released: Release',
      ]);
    }
  });

  it('read the load balancer where a write was refused for health, and the objects may be outdated', () => {
    const web = rolling();
    decided.length = 0;
    const backoff = {
      reason: 'NoHealthyTargets',
      message: '',
      since: web.now,
      until: web.now,
      attempts: 1,
      during: 'Shift',
    } as const;
    decide({ ...web.seen(), isApplied: false }, { ...web.state, backoff }, web.now);
    expect(decided).toEqual([
      'cellRules: The load balancer is read where the objects may be outdated: Inspect',
    ]);
  });

  it('have an example each', () => {
    const shown = new Set(examples.map(([rule]) => rule));
    const { cellRules: _always, ...others } = rules;
    const all = Object.entries(others).flatMap(([list, value]) =>
      Array.isArray(value) ? (value as [string][]).map(([name]) => `${list}: ${name}`) : [],
    );
    expect(all.filter((rule) => !shown.has(rule))).toEqual([]);
  });
});
