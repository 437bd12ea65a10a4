import { expect, it } from 'vitest';
import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { send, type Asker } from './send.ts';

type Get = () => Promise<{ readonly status: Partial<StagedBindingPolicyStatus> }>;

/** Aborts a StagedBindingPolicy, and answers with what was sent and what was said. */
async function aborted(get: Get, answer: object) {
  const sent: unknown[] = [];
  const said: string[] = [];
  const session = {
    kubernetes: { get },
    whoAmI: () => Promise.resolve('ann'),
    may: () => Promise.resolve(true),
    temporal: { address: 'temporal:7233', namespace: 'default' },
    operator: () =>
      Promise.resolve({
        ask: (...words: unknown[]) => (sent.push(['ask', ...words]), Promise.resolve(answer)),
        knownRuns: () => Promise.resolve({ is: 'These' }),
        tell: (...words: unknown[]) => (sent.push(['tell', ...words]), Promise.resolve(true)),
      }),
  } as unknown as Asker;
  const print = (text: string): void => void said.push(text);
  const target = { kind: 'StagedBindingPolicy', key: { namespace: '', name: 'nginx' } } as const;
  const shell = { print, warn: print, exitWith: () => undefined };
  const error = await send(shell, session, { target, name: 'abort', reason: '' }).catch(String);
  return { sent, said: [...said, ...(error === undefined ? [] : [error])].join(' ') };
}

const id = 'staged-binding-policy/nginx';
const by = { by: 'ann', reason: '' };
const never: Get = () => new Promise(() => undefined);
const unanswered = { is: 'Unanswered', message: 'no answer in time' };
const taken = { is: 'Taken', message: 'Done.' };

it('sends an abort of a StagedBindingPolicy while nobody says at which stage it is', async () =>
  expect(await aborted(never, taken)).toEqual({ sent: [['ask', id, 'abort', by]], said: 'Done.' }));

it('begins no line of its own with what a workflow has answered', async () =>
  expect(await aborted(never, { ...taken, message: 'Done.\nweb: Completed' })).toMatchObject({
    said: 'Done. web: Completed',
  }));

it('sends an abort that nobody has answered again for the stage of before', async () => {
  const { sent, said } = await aborted(async () => ({ status: { activeStage: 'prod' } }), unanswered);
  expect(sent[1]).toEqual(['tell', id, 'abort', { ...by, stage: 'prod' }]);
  expect(said).toContain('It was sent as a signal');
});

it('does not send one again where nobody says at which stage it was', async () => {
  const { sent, said } = await aborted(never, unanswered);
  expect(sent).toEqual([['ask', id, 'abort', by]]);
  expect(said).toContain('may or may not have been accepted');
});
