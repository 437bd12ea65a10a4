import { describe, expect, it } from 'vitest';
import type { BackgroundAnalysis, CanaryStep } from '../../../crds/cell.ts';
import type { AnalysisPhase } from './analysis.ts';
import { attendBackground } from './background.ts';
import { decide } from '../decide/decide.ts';
import type { Decision, MeasurementKind } from '../../model/decision.ts';
import { takeRequest } from '../../model/requests.ts';
import { analysisRunName, experimentName } from '../../model/ids.ts';
import { recordReplan } from '../decide/replan.ts';
import * as record from '../record/measurement.ts';
import {
  initialState,
  type Background,
  type Progress,
  type Rollout,
  type RolloutState,
} from '../../model/state.ts';
import { aCell, arnOf, aRollout } from '../../testing/builders.ts';
import { labelOf } from '../../testing/label.ts';
import { parseStep } from '../../steps/index.ts';

const NOW = 1_000_000;
const stamp = { by: 'ann', reason: '', at: NOW };
const analysis: BackgroundAnalysis = { templates: [{ templateName: 'success-rate' }], startingStep: 1 };
const experiment = { duration: '5m', templates: [{ name: 'wy', specRef: 'wy', replicas: 1 }] };
const steps: CanaryStep[] = [{ setWeight: 20 }, { pause: {} }, { experiment }, { pause: { duration: '1h' } }];
const background = (phase: AnalysisPhase, more: Partial<Background> = {}): Background => ({
  prefix: 'bg',
  verdict: { name, phase, message: '' },
  startedAt: NOW,
  readAt: NOW,
  reads: 0,
  ...more,
});
const measuring = (kind: MeasurementKind, phase: AnalysisPhase): Progress => ({
  is: 'Measuring',
  kind,
  verdict: { name: 'web-2-r1', phase, message: 'Said so.' },
  startedAt: NOW,
  readAt: NOW,
  reads: 0,
});

function rolling(at: Partial<Rollout>, more: Partial<RolloutState> = {}): RolloutState {
  const rollout = aRollout({ steps: steps.map(parseStep), backgroundAnalysis: analysis, ...at });
  return { ...initialState, rollout, ...more };
}

const cell = aCell()
  .withSpec({ updateStrategy: { type: 'Canary', canary: { steps, analysis } } })
  .withGroups('1.0.0', 'a')
  .withGroups('2.0.0', 'b')
  .withStatus({ stableVersion: '1.0.0' });

function told(decision: Decision): string {
  if (decision.do === 'Wait')
    return `Wait for ${decision.for}${decision.until === undefined ? '' : ` ${decision.until - NOW} ms`}`;
  if (decision.do === 'End') return `${decision.ending.kind}: ${decision.ending.reason}`;
  return decision.do === 'Shift' ? `Shift ${decision.purpose}` : labelOf(decision);
}

const hold = (during: Decision['do'], more: { readonly background?: true } = {}) => ({
  backoff: {
    during,
    ...more,
    reason: 'Throttled',
    message: '',
    since: NOW,
    attempts: 1,
    until: NOW + 60_000,
  },
});
const name = 'web-bg-success-rate-r1';
const reading = { do: 'ReadMeasurement', kind: 'AnalysisRun', background: 'bg', name } as const;
const ending = { ...reading, do: 'TerminateMeasurement' } as const;
const unhealthy = {
  health: { targetGroupARNs: [arnOf('b')], since: NOW, at: NOW, checks: 6, lack: 'Expected a target.' },
};

type Case = [string, number, RolloutState, string];
const judged = (weight: number, state: RolloutState): string =>
  told(decide(cell.serving({ a: 100 - weight, b: weight }).seen(), state, NOW));

describe('an analysis in the background', () => {
  it.each<Case>([
    ['is not started before its step', 20, rolling({ index: 0 }), 'Advance'],
    ['is started with its step', 20, rolling({ index: 1 }), 'Start background AnalysisRun'],
    [
      'lets the step continue, and is read after a while',
      20,
      rolling({ index: 1, background: background('Running'), progress: { is: 'Pausing', since: NOW } }),
      'Wait for Resume 30000 ms',
    ],
    [
      'is read when something has ended',
      20,
      rolling({ index: 1, background: background('Running', { readAt: 0 }) }),
      'Read background AnalysisRun',
    ],
    [
      'is read while the rollout is paused',
      20,
      rolling(
        { index: 1, background: background('Running', { readAt: 0 }) },
        { requests: { paused: stamp } },
      ),
      'Read background AnalysisRun',
    ],
    [
      'is read while something else is held up',
      20,
      rolling({ index: 1, background: background('Running', { readAt: 0 }) }, hold('Shift')),
      'Read background AnalysisRun',
    ],
    [
      'is not read at once again when the reading was refused',
      20,
      rolling(
        { index: 1, background: background('Running', { readAt: 0 }) },
        hold('ReadMeasurement', { background: true }),
      ),
      'Wait for Backoff 60000 ms',
    ],
    [
      'is read at the least every half hour',
      20,
      rolling({
        index: 3,
        background: background('Running', { reads: 12 }),
        progress: { is: 'Pausing', since: NOW },
      }),
      'Wait for Pause 1800000 ms',
    ],
    [
      'shortens no wait that ends before',
      20,
      rolling({
        index: 3,
        background: background('Running', { reads: 12 }),
        progress: { is: 'Pausing', since: NOW - 3_599_000 },
      }),
      'Wait for Pause 1000 ms',
    ],
    [
      'lets the rollout continue when it was successful',
      20,
      rolling({ index: 2, background: background('Successful') }),
      'Start Experiment',
    ],
    [
      'takes everything back during a step',
      20,
      rolling({ index: 2, background: background('Failed') }),
      'Failed: AnalysisFailed',
    ],
    [
      'takes everything back during a pause',
      20,
      rolling({
        index: 1,
        background: background('Error'),
        progress: { is: 'Pausing', since: NOW },
      }),
      'Failed: AnalysisFailed',
    ],
    [
      'takes everything back while an operator has paused',
      20,
      rolling({ index: 1, background: background('Failed') }, { requests: { paused: stamp } }),
      'Failed: AnalysisFailed',
    ],
    [
      'takes everything back while something is held up',
      20,
      rolling({ index: 1, background: background('Failed') }, hold('StartMeasurement')),
      'Failed: AnalysisFailed',
    ],
    [
      'takes everything back while targets are not healthy',
      0,
      rolling({ index: 0, background: background('Failed') }, unhealthy),
      'Failed: AnalysisFailed',
    ],
    [
      'takes everything back during an experiment',
      20,
      rolling({
        index: 2,
        background: background('Failed'),
        progress: measuring('Experiment', 'Running'),
      }),
      'Failed: AnalysisFailed',
    ],
    [
      'holds the rollout while it is inconclusive',
      20,
      rolling({ index: 2, background: background('Inconclusive') }),
      'Wait for Verdict',
    ],
    [
      'is read again when someone may have decided it',
      20,
      record.markVerdictDue(rolling({ index: 2, background: background('Inconclusive') })),
      'Read background AnalysisRun',
    ],
    [
      'is gone on without when promoted',
      20,
      takeRequest(rolling({ index: 2, background: background('Inconclusive') }), 'promote', stamp),
      'WaiveBackground',
    ],
    [
      'holds no more once it was waived',
      20,
      rolling({ index: 2, background: background('Inconclusive', { waived: true }) }),
      'Start Experiment',
    ],
    [
      'is aborted while it is inconclusive',
      20,
      rolling({ index: 2, background: background('Inconclusive') }, { requests: { abort: stamp } }),
      'Failed: Aborted',
    ],
    [
      'is gone on without when promoted in full',
      100,
      takeRequest(rolling({ index: 2, background: background('Inconclusive') }), 'promoteFull', stamp),
      'WaiveBackground',
    ],
    ...(['promote', 'promoteFull'] as const).map((request): Case => [
      `holds in spite of a ${request} of before it was inconclusive`,
      20,
      rolling({ index: 2, background: background('Inconclusive') }, { requests: { [request]: stamp } }),
      'Wait for Verdict',
    ]),
    [
      'is not started by a full promotion',
      100,
      rolling({ index: 2 }, { requests: { promoteFull: stamp } }),
      'Finish',
    ],
    [
      'is ended once everything serves',
      100,
      rolling({ index: 4, background: background('Running') }),
      'Terminate background AnalysisRun',
    ],
    ['is not started after the last step', 100, rolling({ index: 4 }), 'Finish'],
    [
      'is ended once everything is back',
      0,
      rolling({
        index: 2,
        background: background('Running'),
        ending: { kind: 'Withdrawn', reason: 'x', message: '', at: NOW },
      }),
      'Terminate background AnalysisRun',
    ],
    [
      'is ended after the weights are back, and not before',
      20,
      rolling({
        index: 2,
        background: background('Running'),
        ending: { kind: 'Withdrawn', reason: 'x', message: '', at: NOW },
      }),
      'Shift Reverting',
    ],
    [
      'is waited for when it cannot be ended',
      0,
      rolling(
        {
          index: 2,
          background: background('Running'),
          ending: { kind: 'Withdrawn', reason: 'x', message: '', at: NOW },
        },
        hold('TerminateMeasurement', { background: true }),
      ),
      'Wait for Backoff 60000 ms',
    ],
    [
      'is ended when it was edited',
      20,
      rolling({
        index: 2,
        background: background('Running'),
        backgroundAnalysis: { ...analysis, startingStep: 0 },
      }),
      'Terminate background AnalysisRun',
    ],
    [
      'is planned again when it was edited and has ended',
      20,
      rolling({
        index: 2,
        background: background('Successful'),
        backgroundAnalysis: { ...analysis, startingStep: 0 },
      }),
      'Replan',
    ],
    [
      'continues when only the steps were edited',
      20,
      rolling({ index: 0, background: background('Running'), steps: [{ setWeight: 20 }].map(parseStep) }),
      'Replan',
    ],
  ])('%s', (_, weight, state, want) => expect(judged(weight, state)).toBe(want));

  it('of what comes after the steps takes the place of theirs', () => {
    const wanted = { prefix: 'bake', analysis } as const;
    const { rollout } = rolling({ index: 4, background: background('Running') });
    expect(labelOf(attendBackground(wanted, rollout!, initialState)!)).toBe(
      'Terminate background AnalysisRun',
    );
    const ended = record.recordTermination(
      rolling({ index: 4, background: background('Running') }),
      ending,
      { name, phase: 'Running', message: '' },
      NOW,
    );
    expect(attendBackground(wanted, ended.rollout!, initialState)).toMatchObject({
      do: 'StartMeasurement',
      kind: 'AnalysisRun',
      background: 'bake',
    });
  });
});

describe('an experiment', () => {
  const at = (phase: AnalysisPhase, more: Partial<RolloutState> = {}): RolloutState =>
    rolling(
      { index: 2, background: background('Successful'), progress: measuring('Experiment', phase) },
      more,
    );
  it.each<Case>([
    ['is waited for', 20, at('Running'), 'Wait for Experiment 30000 ms'],
    ['is read when it has ended', 20, record.markVerdictDue(at('Running')), 'Read Experiment'],
    ['continues when it was successful', 20, at('Successful'), 'Advance'],
    ['takes everything back when it has failed', 20, at('Failed'), 'Failed: ExperimentFailed'],
    ['takes everything back when it could not run', 20, at('Error'), 'Failed: ExperimentFailed'],
    ['is left to a person when it is inconclusive', 20, at('Inconclusive'), 'Wait for Verdict'],
    [
      'is read again when someone may have decided it',
      20,
      record.markVerdictDue(at('Inconclusive')),
      'Read Experiment',
    ],
    [
      'continues without a verdict when promoted',
      20,
      at('Inconclusive', { requests: { promote: stamp } }),
      'Advance',
    ],
    [
      'is ended before it is passed over',
      20,
      at('Running', { requests: { promote: stamp } }),
      'Terminate Experiment',
    ],
    [
      'is ended before everything is promoted',
      20,
      at('Running', { requests: { promoteFull: stamp } }),
      'Terminate Experiment',
    ],
    [
      'is ended when everything is back',
      0,
      rolling({
        index: 2,
        progress: measuring('Experiment', 'Running'),
        ending: { kind: 'Failed', reason: 'x', message: '', at: NOW },
      }),
      'Terminate Experiment',
    ],
    [
      'is ended when the steps were edited',
      20,
      rolling({
        index: 2,
        background: background('Successful'),
        progress: measuring('Experiment', 'Running'),
        steps: [{ setWeight: 20 }].map(parseStep),
      }),
      'Terminate Experiment',
    ],
  ])('%s', (_, weight, state, want) => expect(judged(weight, state)).toBe(want));
});

describe('what was measured before the steps were edited', () => {
  it('has another name than what is measured after', () => {
    const seen = cell.serving({ a: 80, b: 20 }).seen();
    const before = rolling({ index: 0, background: background('Running'), steps: [] });
    const after = recordReplan(before, { do: 'Replan', index: 0, message: '' }, { cell: seen.cell!, now: 7 });
    expect(after.rollout).toMatchObject({ edition: 1, background: background('Running') });
    const of = { cell: 'web', rollout: 'r1', step: 2 };
    expect(analysisRunName({ ...of, template: 'success-rate', edition: 0 })).toBe('web-2-success-rate-r1');
    expect(analysisRunName({ ...of, template: 'success-rate', edition: 1 })).toBe('web-2-success-rate-r1-1');
    expect(experimentName({ ...of, edition: 1 })).toBe('web-2-experiment-r1-1');
    expect(experimentName({ ...of, cell: 'w'.repeat(253), edition: 0 })).toHaveLength(189);
  });

  it('keeps no background that was edited', () => {
    const seen = cell.serving({ a: 80, b: 20 }).seen();
    const edited = rolling({
      index: 1,
      background: background('Running'),
      backgroundAnalysis: { ...analysis, startingStep: 0 },
      progress: { is: 'Pausing', since: 5 },
    });
    const { rollout } = recordReplan(
      edited,
      { do: 'Replan', index: 1, message: '' },
      { cell: seen.cell!, now: 7 },
    );
    expect(rollout).toMatchObject({ backgroundAnalysis: analysis, progress: { is: 'Pausing', since: 5 } });
    expect(rollout?.background).toBeUndefined();
  });
});

describe('the verdict of a background', () => {
  const running = rolling({ index: 1, background: background('Running') });

  it('that comes while it is being read is read once more', () => {
    const state = record.recordVerdict(
      record.markVerdictDue(running),
      reading,
      { name, phase: 'Running', message: '' },
      NOW,
    );
    expect(record.isBackgroundDue(state)).toBe(true);
    const after = record.recordVerdict(state, reading, { name, phase: 'Running', message: '' }, NOW);
    expect(record.isBackgroundDue(after)).toBe(false);
  });

  it('that comes while it is being started is read at once', () => {
    const started = record.recordVerdict(
      record.markVerdictDue(rolling({ index: 1 })),
      { ...reading, do: 'StartMeasurement' },
      { name, phase: 'Pending', message: '' },
      NOW,
    );
    expect(judged(20, started)).toBe('Read background AnalysisRun');
  });

  it('leaves what holds the step as it is', () => {
    const held = { ...running, ...hold('Shift') };
    const read = record.recordVerdict(held, reading, { name, phase: 'Running', message: '' }, NOW);
    expect(read.backoff).toEqual(held.backoff);
    const refused = { ...running, ...hold('ReadMeasurement', { background: true }) };
    expect(
      record.recordVerdict(refused, reading, { name, phase: 'Running', message: '' }, NOW).backoff,
    ).toBeUndefined();
  });

  it.each([
    ['Running', 'Finish'],
    ['Successful', 'Finish'],
    ['Failed', 'Failed: AnalysisFailed'],
    ['Error', 'Failed: AnalysisFailed'],
    ['Inconclusive', 'Wait for Verdict'],
  ] as const)('that had come to %s before it was ended counts', (phase, want) => {
    const serving = rolling({ index: 4, background: background('Running') });
    const state = record.recordTermination(serving, ending, { name, phase, message: '' }, NOW);
    expect(judged(100, state)).toBe(want);
  });

  it('is decided about until it is another one', () => {
    const read = (state: RolloutState, phase: AnalysisPhase) =>
      record.recordVerdict(state, reading, { name, phase, message: '' }, NOW);
    const decided = takeRequest(read(running, 'Inconclusive'), 'promote', stamp);
    expect(decided.rollout?.background).toMatchObject({ decidedBy: 'ann' });
    expect(read(decided, 'Inconclusive').rollout?.background).toMatchObject({ decidedBy: 'ann' });
    expect(read(decided, 'Failed').rollout?.background).not.toHaveProperty('decidedBy');
    expect(takeRequest(running, 'promote', stamp).rollout?.background).not.toHaveProperty('decidedBy');
  });

  it('answers the request of whoever continues without it', () => {
    const inconclusive = rolling(
      { index: 1, background: background('Inconclusive') },
      { requests: { promote: stamp } },
    );
    const waived = record.recordWaiver(inconclusive);
    expect(waived.requests).toEqual({});
    expect(waived.rollout?.background?.waived).toBe(true);
  });
});
