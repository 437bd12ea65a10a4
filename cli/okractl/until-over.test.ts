import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { untilOver } from './analysis.ts';
import { endingOf } from './shell.ts';

const key = { namespace: 'default', name: 'r1' };
const aRun = (phase?: string) => ({ metadata: key, status: { phase } });
const failing = (status: number): Error =>
  new KubernetesError({ status, reason: `R${status}`, message: `no ${status}` });

/** Waits for an AnalysisRun where each read has one of the answers. */
async function waited(...answers: readonly (Error | object | undefined)[]) {
  const left = [...answers];
  const told: (string | undefined)[] = [];
  const get = async () => {
    const answer = left.shift();
    if (answer instanceof Error) throw answer;
    return answer as never;
  };
  const ended = await untilOver({ get }, key, {
    signal: new AbortController().signal,
    trouble: (why) => void told.push(why),
    wait: () => Promise.resolve(),
  }).catch(endingOf);
  return { ended, told };
}

describe('waiting for an AnalysisRun', () => {
  it('ends as refused where one may not read it', async () => {
    const { ended, told } = await waited(failing(403));
    expect(ended).toEqual({
      code: 3,
      message:
        'AnalysisRun r1 exists, but you may not read it: no 403. Ask for a role with the verb get on analysisruns.',
    });
    expect(told).toEqual([]);
  });

  it('continues where that is so for a moment', async () => {
    const { ended, told } = await waited(aRun('Running'), failing(403), aRun('Successful'));
    expect([ended, told]).toEqual([aRun('Successful'), ['no 403', undefined]]);
  });

  it('ends where it was deleted', async () => {
    expect((await waited(aRun('Running'), undefined)).ended).toBeUndefined();
  });

  it('says once why it cannot read it, and when that is over', async () => {
    const { ended, told } = await waited(failing(500), failing(500), aRun(), aRun('Failed'));
    expect([ended, told]).toEqual([aRun('Failed'), ['no 500', undefined]]);
  });
});
