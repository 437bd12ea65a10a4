import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { texts, writeShiftTable } from '../../test/architecture/shifts.ts';
import { damp, recordUnplanned } from '../gates/damping.ts';
import { routeOf } from '../load-balancers/load-balancer.ts';
import type { Shift } from '../model/decision.ts';
import { shiftPurposes, type ShiftPurpose } from '../model/shift-purpose.ts';
import { initialState } from '../model/state.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import { arnOf } from '../testing/builders.ts';
import { aMinuteLater, without } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';
import type { PresentCell } from '../versions/candidate.ts';
import { shiftRequest } from './shift.ts';

const MINUTE = 60_000;
const page = readFileSync(join(import.meta.dirname, '../../docs/design.md'), 'utf8');

/** The rows of the table in docs/design.md. */
const rows = page
  .split(/<!-- \/?writes -->/)[1]
  ?.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** A change of weights that was decided, and the weights before it. */
interface Decided {
  readonly shift: Shift;
  readonly before: readonly WeightedTargetGroup[];
}

class Recording extends Simulation {
  readonly decided: Decided[] = [];
  override attempt(...args: Parameters<Simulation['attempt']>): ReturnType<Simulation['attempt']> {
    const [shift, { weighted }] = args;
    if (shift.do === 'Shift') this.decided.push({ shift, before: weighted });
    return super.attempt(...args);
  }
}

/** A Cell with steps that serves 1.0.0 by these groups. */
function installed(...names: string[]): Recording {
  const steps: CanaryStep[] = [{ setWeight: 20 }, { pause: {} }];
  const web = new Recording({ updateStrategy: { type: 'Canary', canary: { steps } } });
  web.provision('1.0.0', 'a', ...names);
  return aMinuteLater(web);
}
/** 2.0.0 has the weight of the first step. */
const paused = (...names: string[]): Recording =>
  after(installed(...names), (web) => web.provision('2.0.0', 'b'));
/** 2.0.0 has everything, and 1.0.0 waits at weight 0. */
const completed = (): Recording => after(paused(), (web) => web.ask('promote'));
/** Does something, and lets a minute pass. */
function after(web: Recording, happens: (web: Recording) => unknown): Recording {
  happens(web);
  return aMinuteLater(web);
}
const sicken = (web: Recording): void => {
  web.unhealthy.add(arnOf('a'));
  web.lookForHealth();
};

/** What brings each write about. */
const scenarios: Readonly<Record<ShiftPurpose, () => Recording>> = {
  Adopting: () =>
    after(new Recording(), (web) => {
      web.provision('1.0.0', 'a');
      web.served = [{ name: 'a', arn: arnOf('a'), weight: 100 }];
      web.isKnown = false;
    }),
  Installing: () => installed(),
  Reinstalling: () => after(installed(), (web) => ([web.isKnown, web.listener.rules] = [false, []])),
  AttachingTargetGroups: () => paused(),
  ShiftingTraffic: () => paused(),
  Reverting: () => after(paused(), (web) => web.ask('abort')),
  FallingBack: () => without(completed(), 'b'),
  RollingBack: () => after(completed(), (web) => web.edit((spec) => ({ ...spec, version: '1.0.0' }))),
  Rebalancing: () => after(installed(), (web) => web.provision('1.0.0', 'c')),
  RemovingTargetGroups: () => without(paused('c'), 'c'),
  Evacuating: () => after(installed('c'), sicken),
  Restoring: () => after(completed(), (web) => web.drift([{ name: 'a', arn: arnOf('a'), weight: 100 }])),
  Reconfiguring: () =>
    after(installed(), (web) =>
      web.edit((spec) => {
        const { awsApplicationLoadBalancer: block } = spec.ingress;
        if (block === undefined) return spec;
        const listener = { rule: { priority: 10, hosts: ['other.com'] } };
        return { ...spec, ingress: { ...spec.ingress, awsApplicationLoadBalancer: { ...block, listener } } };
      }),
    ),
  DetachingTargetGroups: () => after(completed(), (web) => web.pass(11 * MINUTE)),
};

/** What the table says of the needs of a change of weights, by what is looked at. */
function needsOf({ shift: { shares, requires }, before }: Decided): readonly string[] {
  const { healthy = [], registered = [] } = requires ?? {};
  if (requires === undefined) return [texts.needs.Nothing];
  const weightOf = (arn: string): number | undefined => before.find((one) => one.arn === arn)?.weight;
  const gaining = shares.filter(({ arn, weight }) => weight > (weightOf(arn) ?? 0));
  const joining = shares.filter(({ arn }) => weightOf(arn) === undefined);
  return [
    ...(isAbout(healthy, gaining) ? [texts.needs.Healthy] : []),
    ...(isAbout(registered, joining) ? [texts.needs.Registered] : []),
  ];
}

const isAbout = (arns: readonly string[], groups: readonly WeightedTargetGroup[]): boolean =>
  groups.length > 0 && groups.every(({ arn }) => arns.includes(arn));

/** What the table says of a change of weights after others that undid one another. */
function dampingOf(shift: Shift, cell: PresentCell, now: number): string {
  const at = { cell, now };
  const { unplannedShifts = [] } = recordUnplanned(initialState, shift, { ...at, corrects: false });
  const change = { time: new Date(now).toISOString(), purpose: 'Rebalancing' };
  const back = ['a', 'b', 'a', 'b', 'a'].map((weights) => ({ ...change, weights }));
  const { force: _asked, ...unasked } = shift;
  const held = damp(unasked, { ...at, state: { ...initialState, unplannedShifts: back } });
  if (held === unasked) return texts.damping.None;
  return unplannedShifts.length > 0 ? texts.damping.Counted : texts.damping.Waits;
}

describe('what docs/design.md says that each write of weights needs (npm run generate)', () => {
  it('is what the code goes by', () => expect(page).toContain(writeShiftTable()));

  it('has a row for each', () => expect(rows?.length).toBe(Object.keys(shiftPurposes).length));

  it.each(Object.keys(scenarios) as ShiftPurpose[])('is true of %s', (purpose) => {
    const web = scenarios[purpose]();
    const decided = web.decided.findLast(({ shift }) => shift.purpose === purpose);
    const observed = web.seen();
    const [{ cell }, route] = [observed, routeOf(web.spec)];
    if (decided === undefined || cell === undefined || route === undefined)
      throw new Error(`Expected ${purpose}, got ${web.decided.map(({ shift }) => shift.purpose).join()}.`);
    const { shift } = decided;
    const { urgent } = shiftRequest(shift, { observed, cell, state: web.state, route });
    const [, , needs, first, damping] = rows?.find(([, name]) => name === `\`${purpose}\``) ?? [];
    expect(needsOf(decided)).toContain(needs);
    expect(texts.first(urgent)).toBe(first);
    expect(dampingOf(shift, cell, web.now)).toBe(damping);
  });
});
