import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { weightsIn, type Decode, type WeightHistory } from './weight-history.ts';

const folder = join(import.meta.dirname, '../../test/histories');
const plainly: Decode = (payloads) =>
  Promise.resolve((payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload<unknown>(payload)));

async function toldBy(file: string): Promise<WeightHistory> {
  const history = historyFromJSON(JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8')));
  return weightsIn(history.events ?? [], plainly);
}

const lines = ({ told }: WeightHistory): readonly string[] =>
  told.flatMap(({ asked, served, status }) => {
    if (status !== undefined) return [];
    const text = (asked ?? served ?? []).map(({ name, weight }) => `${name} ${weight}`).join(', ');
    return `${asked === undefined ? 'served' : 'asked'}: ${text}`;
  });

describe('the history of a rollout', () => {
  it('says what was asked for and read back, and leaves out what was never written', async () => {
    const history = await toldBy('cellRollout-Reverted');
    expect(lines(history)).toEqual([
      'served: a 100',
      'served: a 100',
      'asked: a 100, b 0',
      'served: a 100, b 0',
      'asked: a 80, b 20',
      'served: a 80, b 20',
      'served: a 80, b 20',
      'served: a 80, b 20',
      'asked: a 60, b 40',
      'served: a 60, b 40',
      'asked: a 100, b 0',
      'served: a 100, b 0',
      'served: a 100, b 0',
      'served: a 100, b 0',
      'asked: a 100',
      'served: a 100',
    ]);
    expect(history.versions).toEqual({ a: '1.0.0', b: '2.0.0' });
    expect(history.told.map(({ at }) => at)).toEqual(
      history.told.map(({ at }) => at).toSorted((a, b) => a - b),
    );
  });

  it('says at which step it stood, and why, also at which it failed', async () => {
    const { told } = await toldBy('cellRollout-Completed');
    const stood = told.flatMap(({ status }) => status ?? []).slice(0, 3);
    expect(stood.map(({ step, isFailed }) => [step, isFailed])).toEqual([
      ['1/6', false],
      ['1/6', false],
      ['2/6', true],
    ]);
    expect(stood[2]?.reason).toBe('CheckFailed');
    expect(stood[2]?.measured).toMatchObject([{ phase: 'Failed' }]);
  });

  it('is read of every recorded rollout, whatever it came to', async () => {
    const histories = await Promise.all(
      ['Completed', 'Reverted', 'Failed', 'Deleted-applications'].map((outcome) =>
        toldBy(`cellRollout-${outcome}`),
      ),
    );
    const hasWeights = ({ told }: WeightHistory): boolean =>
      told.some(({ asked = [], served = [] }) => asked.length + served.length > 0);
    expect(histories.map(hasWeights)).toEqual([true, true, true, false]);
  });
});
