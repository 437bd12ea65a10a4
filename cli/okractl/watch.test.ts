import { describe, expect, it } from 'vitest';
import type { CanaryStep, Cell, CellStatus } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import { cellLine } from './watch.ts';
import { describeCell, stepLines } from './describe-cell.ts';
import { aCell, arnOf, paused } from './testing/objects.ts';
import { draw, nextOf } from './tree.ts';
import { troubleLog } from './follow.ts';
import { nothingWatched, settledOf, type Watched } from './watched.ts';
import { aRolloutStatus } from '../../domain/testing/builders.ts';

const now = Date.parse('2026-11-22T10:00:00Z');
const watching = (...cells: readonly Cell[]): Watched => ({
  ...nothingWatched(),
  cells: new Map(cells.map((cell) => [`default/${cell.metadata.name}`, cell])),
  asked: new Map([
    [
      'default/web',
      {
        is: 'Known',
        isApplied: false,
        targetGroups: [
          { name: 'web-a', arn: arnOf('web-a'), weight: 50 },
          { name: 'web-b', arn: arnOf('web-b'), weight: 50 },
        ],
      },
    ],
  ]),
});
const resting = (name: string): Cell => ({
  ...aCell({ phase: 'Completed', message: '1.0.0 serves all traffic.' }),
  metadata: { name, namespace: 'default' },
});

/** A step of a kind that a newer release has. */
const strange = { wait: { for: 'Tuesday' } } as unknown as CanaryStep;

describe('the live view', () => {
  it('shows a Cell whose window has a time zone that there is not', () => {
    const windows = [{ timeZone: 'Europe/Nowhere', start: '22:00', end: '04:00' }];
    const cell = aCell({ ...paused, message: 'The time zone is wrong.' }, { windows });
    const drawn = draw(watching(cell, resting('api')), now).join('\n');
    expect(drawn).toContain('not before a window opens');
    expect(drawn).toContain('default/api  Completed');
    expect(describeCell({ cell, asked: { is: 'Nothing' }, freezes: [], events: [] }, now)).toContain(
      'The time zone is wrong.',
    );
  });

  it('shows a Cell with a step of a kind that this release does not know', () => {
    const steps = [{ setWeight: 20 }, { pause: {} }, strange];
    const cell = aCell(paused, { updateStrategy: { type: 'Canary', canary: { steps } } });
    const drawn = draw(watching(cell, resting('api')), now).join('\n');
    expect(drawn).toContain('3. wait, which this release does not know');
    expect(drawn).toContain('next: wait, which this release does not know');
    expect(drawn).toContain('default/api  Completed');
    expect(describeCell({ cell, asked: { is: 'Nothing' }, freezes: [], events: [] }, now)).toContain(
      '3. wait, which this release does not know',
    );
  });

  it('draws a rollout as a tree, and what is at rest in a line each', () => {
    const freeze: Freeze = {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name: 'night' },
      spec: { by: 'ops', reason: 'sale', until: '2026-11-22T12:00:00Z' },
    };
    const watched = {
      ...watching(aCell(paused), resting('api')),
      freezes: new Map([['night', freeze]]),
      troubles: new Map([['Cell', 'no answer']]),
    };
    expect(draw(watched, now).join('\n')).toBe(`! Cell may be stale: no answer
Freeze night by ops holds all namespaces: sale, until 2026-11-22T12:00:00Z (in 2h)

default/web  Paused  1.0.0 → 2.0.0  for 5m
├─ Waiting for resume or promote.
├─ weights
│  ├─ TARGET GROUP   VERSION   ROLE     DESIRED   OBSERVED   HEALTHY   NOTE
│  ├─ web-a          1.0.0     Stable   50        80         2/3       not confirmed yet; differs
│  └─ web-b          2.0.0     Canary   50        20         -         not confirmed yet; differs
├─ steps
│  ├─ ✓ 1. set the canary's weight to 20
│  ├─ ▶ 2. pause until resumed, since 2026-11-22T09:58:00Z (2m ago)
│  ├─   3. set the canary's weight to 50
│  └─   all traffic
├─ requests
│  └─ resume by ann: looks fine, 2026-11-22T09:56:00Z (4m ago)
└─ next: set the canary's weight to 50

default/api  Completed  1.0.0 serves all traffic.`);
  });

  it.each<[string, CellStatus, string | undefined]>([
    ['of a Cell without a rollout', { phase: 'Completed' }, undefined],
    ['of the last step', { ...paused, currentStepIndex: 2 }, 'next: all traffic'],
    ['of one that bakes', { ...paused, currentStepIndex: 3 }, undefined],
    [
      'of one that is taken back',
      {
        ...paused,
        rollout: aRolloutStatus({
          ending: { kind: 'Failed', reason: 'Aborted', message: '', time: '2026-11-22T09:58:00Z' },
        }),
      },
      'next: all traffic back on 1.0.0',
    ],
  ])('says what comes next %s', (_, status, next) => expect(nextOf(aCell(status), now)).toBe(next));

  it('says when the next window opens', () => {
    const windows = [{ days: ['Mon' as const], start: '10:00', end: '16:00', timeZone: 'UTC' }];
    expect(nextOf(aCell(paused, { windows }), now)).toBe(
      "next: set the canary's weight to 50, not before 2026-11-23T10:00:00Z (in 1d)",
    );
  });
});

describe('a pause with an end', () => {
  const steps = [{ setWeight: 20 }, { pause: { duration: '10m' } }, { setWeight: 50 }];
  const updateStrategy = { type: 'Canary' as const, canary: { steps } };
  const [stepStartedAt, stepEndsAt] = ['2026-11-22T09:57:00.250Z', '2026-11-22T10:07:00.250Z'];
  const rollout = { ...paused.rollout!, stepStartedAt, stepEndsAt };
  const pausing: CellStatus = { ...paused, message: 'Pausing for 10m.', rollout };
  const next = "next: set the canary's weight to 50";
  const ends = '2026-11-22T10:07:00Z (in 7m)';

  it('says since when it lasts, and when it ends', () => {
    expect(stepLines(aCell(pausing, { updateStrategy }), now)[1]).toBe(
      `▶ 2. pause for 10m, since 2026-11-22T09:57:00Z (3m ago), ends at ${ends}`,
    );
  });

  it('says its end where nothing is redrawn', () => {
    expect(cellLine('default/web', aCell(pausing))).toMatch(
      /  Pausing for 10m\.  ends at 2026-11-22T10:07:00Z$/,
    );
  });

  const window = (start: string) => [{ days: ['Sun' as const], start, end: '11:00', timeZone: 'UTC' }];
  const byAnn = { by: 'ann', reason: '', time: '2026-11-22T09:58:00Z' };
  it.each<[string, object, object, string]>([
    ['when the next step begins', {}, {}, `${next}, at ${ends}`],
    ['nothing of it while someone has paused the rollout', { paused: byAnn }, {}, next],
    ['nothing of it when it is over', { stepEndsAt: '2026-11-22T09:59:00Z' }, {}, next],
    [
      'when the window opens that it ends before',
      {},
      { windows: window('10:30') },
      `${next}, not before 2026-11-22T10:30:00Z (in 30m)`,
    ],
    ['its end when a window is open then', {}, { windows: window('10:05') }, `${next}, at ${ends}`],
  ])('says %s', (_, differs, spec, want) =>
    expect(
      nextOf(aCell({ ...pausing, rollout: { ...rollout, ...differs } }, { updateStrategy, ...spec }), now),
    ).toBe(want),
  );

  it('says when a bake is over, and with it the rollout', () => {
    const baking = { ...pausing, currentStepIndex: 3 };
    expect(nextOf(aCell(baking, { updateStrategy }), now)).toBe(`next: the rollout ends, at ${ends}`);
    expect(stepLines(aCell(baking, { updateStrategy }), now)[3]).toContain(`all traffic, since`);
  });
});

describe('a line for each change', () => {
  it('says phase, step, versions, weights and what is waited for', () => {
    expect(cellLine('default/web', aCell(paused))).toBe(
      'default/web  Paused  2/3  1.0.0 → 2.0.0  web-a 80, web-b 20  Waiting for resume or promote.',
    );
  });
});

describe('the end of a rollout', () => {
  const target = { kind: 'Cell', key: { namespace: 'default', name: 'web' } } as const;
  const standing = (phase: CellStatus['phase'], progressing: string, ready: string, generation = 1): Cell => {
    const condition = (type: string, status: string) => ({
      type,
      status: status as 'True',
      reason: 'x',
      message: '',
      lastTransitionTime: '2026-11-22T09:00:00Z',
      observedGeneration: 1,
    });
    const conditions = [condition('Progressing', progressing), condition('Ready', ready)];
    return { ...aCell({ phase, message: 'm', conditions }), metadata: { name: 'web', generation } };
  };

  it.each([
    ['is not there while it is under way', standing('Progressing', 'True', 'False'), undefined],
    ['is good when it serves', standing('Completed', 'False', 'True'), { ok: true, message: 'Completed: m' }],
    [
      'is bad when it went back',
      standing('Reverted', 'False', 'False'),
      { ok: false, message: 'Reverted: m' },
    ],
    ['is not there while an edit was not looked at', standing('Completed', 'False', 'True', 2), undefined],
    ['is bad when it is gone', undefined, { ok: false, message: 'Cell default/web not found.' }],
  ])('%s', (_, cell, end) => expect(settledOf(target, cell)).toEqual(end));
});

describe('what an informer logs', () => {
  it('is a trouble until it is over', () => {
    const told: (string | undefined)[] = [];
    const log = troubleLog((why) => void told.push(why));
    log.warn({ err: new Error('no answer') }, 'watch failed, trying again');
    log.info('watch works again');
    expect(told).toEqual(['no answer', undefined]);
  });

  it('is a trouble as well where nobody is warned of it', () => {
    const told: (string | undefined)[] = [];
    troubleLog((why) => void told.push(why)).info(
      { err: new Error('no right') },
      'watch failed, trying again',
    );
    expect(told).toEqual(['no right']);
  });
});
