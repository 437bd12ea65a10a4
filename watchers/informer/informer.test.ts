import { describe, expect, it } from 'vitest';
import { createLog } from '../../clients/log.ts';
import { CONFIG_MAP } from '../../clients/kubernetes/kinds.ts';
import {
  KubernetesError,
  type KubernetesClient,
  type WatchEvent,
} from '../../clients/kubernetes/kubernetes.ts';
import type { SnapshotOptions } from '../../clients/kubernetes/kubernetes-list.ts';
import type { Informed } from '../event.ts';
import { fakeClock, noLog } from '../testing/fakes.ts';
import { runInformer, type InformerOptions } from './informer.ts';

const object = (name: string, resourceVersion: string): Informed => ({ metadata: { name, resourceVersion } });
const failure = (status: number, reason = 'Any') => new KubernetesError({ status, reason, message: reason });

type Answer =
  | { readonly list: readonly Informed[]; readonly version: string }
  | { readonly stream: readonly (WatchEvent<Informed> | KubernetesError)[]; readonly lasts?: number }
  | { readonly fails: KubernetesError };

/** Lets an informer talk to an API server that gives these answers in turn, and says what it asked and told. */
async function informed(answers: readonly Answer[], options: Partial<InformerOptions<Informed>> = {}) {
  const asked: string[] = [];
  const told: string[] = [];
  const stop = new AbortController();
  const clock = fakeClock({ automatic: true });
  const left = [...answers];
  const next = (): Answer => {
    const answer = left.shift();
    if (answer !== undefined && !('fails' in answer)) return answer;
    if (answer === undefined) stop.abort();
    throw answer?.fails ?? new Error('no answer is left');
  };
  const kubernetes: Pick<KubernetesClient, 'snapshot' | 'watch'> = {
    snapshot: async <T>(_kind: unknown, { trim = (one: T) => one }: SnapshotOptions<T> = {}) => {
      asked.push('list');
      const answer = await Promise.resolve(next());
      if (!('list' in answer)) throw new Error('expected to be asked for a watch');
      return { items: (answer.list as readonly T[]).map(trim), resourceVersion: answer.version };
    },
    watch: async function* <T>(_kind: unknown, { resourceVersion }: { resourceVersion: string }) {
      asked.push(`watch ${resourceVersion}`);
      const answer = next();
      if (!('stream' in answer)) throw new Error('expected to be asked for a list');
      await clock.sleep(answer.lasts ?? 0, stop.signal);
      for (const event of answer.stream) {
        if (event instanceof KubernetesError) throw event;
        yield event as WatchEvent<T>;
      }
    },
  };
  await runInformer<Informed>({
    kubernetes,
    kind: CONFIG_MAP,
    onEvent: (event) => told.push(`${event.type} ${event.object.metadata.name}`),
    onSynced: () => told.push('synced'),
    log: noLog,
    signal: stop.signal,
    timing: { ...clock, random: () => 0.5, relistSeconds: 600 },
    ...options,
  });
  return { asked, told, waits: clock.slept.filter((milliseconds) => milliseconds > 0) };
}

const changed = (name: string, version: string): WatchEvent<Informed> => ({
  type: 'MODIFIED',
  object: object(name, version),
});

describe('an informer', () => {
  it('tells what there is, that this is all, and what changes', async () => {
    const { asked, told } = await informed([
      { list: [object('a', '1')], version: '5' },
      {
        stream: [
          changed('a', '6'),
          { type: 'ADDED', object: object('b', '7') },
          { type: 'DELETED', object: object('a', '8') },
        ],
      },
    ]);
    expect(asked.slice(0, 2)).toEqual(['list', 'watch 5']);
    expect(told).toEqual(['add a', 'synced', 'update a', 'add b', 'delete a']);
  });

  it('keeps of what is listed and of what is watched what it is told to, and tells of nothing else', async () => {
    const heard: Informed[] = [];
    const more = { spec: 'x'.repeat(1000) };
    await informed(
      [
        { list: [{ ...object('a', '1'), ...more }], version: '5' },
        { stream: [{ type: 'MODIFIED', object: { ...object('a', '6'), ...more } }] },
      ],
      {
        trim: ({ metadata }) => ({ metadata }),
        onEvent: (event) => heard.push(event.object, ...(event.type === 'update' ? [event.old] : [])),
      },
    );
    expect(heard).toEqual([object('a', '1'), object('a', '6'), object('a', '1')]);
  });

  it('keeps no managed fields, and not what kubectl has applied, unless it is told otherwise', async () => {
    const heard: Informed[] = [];
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', team: 'web' };
    const metadata = { name: 'a', resourceVersion: '1', managedFields: [{}], annotations };
    await informed([{ list: [{ metadata }], version: '5' }], {
      onEvent: (event) => heard.push(event.object),
    });
    expect(heard).toEqual([{ metadata: { name: 'a', resourceVersion: '1', annotations: { team: 'web' } } }]);
  });

  it('continues from the last version, a bookmark say, after a stream has ended', async () => {
    const { asked } = await informed([
      { list: [], version: '5' },
      { stream: [changed('a', '6'), { type: 'BOOKMARK', resourceVersion: '9' }] },
      { stream: [] },
    ]);
    expect(asked.slice(0, 3)).toEqual(['list', 'watch 5', 'watch 9']);
  });

  it.each([0, 429, 500, 503])('continues from the last version after failure %s', async (status) => {
    const { asked } = await informed([
      { list: [], version: '5' },
      { stream: [changed('a', '6'), failure(status)] },
      { stream: [] },
    ]);
    expect(asked.slice(0, 3)).toEqual(['list', 'watch 5', 'watch 6']);
  });

  it.each([410, 504, 404])('lists again after failure %s, and tells what it missed', async (status) => {
    const { asked, told } = await informed([
      { list: [object('a', '1'), object('b', '1')], version: '5' },
      { stream: [failure(status)] },
      { list: [object('b', '9'), object('c', '8')], version: '9' },
    ]);
    expect(asked.slice(0, 3)).toEqual(['list', 'watch 5', 'list']);
    expect(told).toEqual(['add a', 'add b', 'synced', 'delete a', 'update b', 'add c']);
  });

  it.each(['AnswerTooLarge', 'Malformed'])('lists again after a stream that is %s', async (reason) => {
    const { asked } = await informed([
      { list: [], version: '5' },
      { stream: [changed('a', '6'), new KubernetesError({ status: 0, reason, message: '' })] },
      { list: [], version: '9' },
    ]);
    expect(asked.slice(0, 3)).toEqual(['list', 'watch 5', 'list']);
  });

  it('lists again from time to time, even when nothing fails', async () => {
    const { asked } = await informed([
      { list: [], version: '5' },
      { stream: [], lasts: 300_000 },
      { stream: [], lasts: 300_000 },
      { list: [], version: '6' },
    ]);
    expect(asked.slice(0, 4)).toEqual(['list', 'watch 5', 'watch 5', 'list']);
  });

  it('lists again from time to time also while every watch breaks, and tells what it missed', async () => {
    const { asked, told } = await informed([
      { list: [], version: '5' },
      { stream: [failure(502)], lasts: 300_000 },
      { stream: [failure(502)], lasts: 300_000 },
      { list: [object('a', '6')], version: '6' },
    ]);
    expect(asked.slice(0, 4)).toEqual(['list', 'watch 5', 'watch 5', 'list']);
    expect(told).toEqual(['synced', 'add a']);
  });

  it('waits longer and longer while the API server is away', async () => {
    const { waits } = await informed(Array.from({ length: 8 }, () => ({ fails: failure(0) })));
    // Each is shortened by the same quarter here: 500 ms, doubled up to 5 s.
    expect(waits.slice(0, 7)).toEqual([375, 750, 1500, 3000, 3750, 3750, 3750]);
  });

  it('opens the next stream at once after a good one', async () => {
    const { waits } = await informed([
      { list: [], version: '5' },
      { stream: [], lasts: 60_000 },
      { stream: [], lasts: 60_000 },
    ]);
    expect(waits.slice(0, 2)).toEqual([60_000, 60_000]);
  });

  it('does not run in circles when streams end at once', async () => {
    const { waits } = await informed([
      { list: [], version: '5' },
      { stream: [] },
      { stream: [] },
      { stream: [] },
    ]);
    expect(waits.slice(0, 3)).toEqual([375, 750, 1500]);
  });

  it('waits for a kind that is not installed yet', async () => {
    const { told } = await informed([
      { fails: failure(404) },
      { fails: failure(404) },
      { list: [object('a', '1')], version: '5' },
    ]);
    expect(told).toEqual(['add a', 'synced']);
  });

  it.each([404, 403])(
    'takes an optional kind that cannot be had (%s) for empty, and continues asking',
    async (status) => {
      const { told } = await informed(
        [{ fails: failure(status) }, { list: [object('a', '1')], version: '5' }],
        {
          optional: true,
        },
      );
      expect(told).toEqual(['synced', 'add a']);
    },
  );

  it('warns of an optional kind only when it could be had before', async () => {
    const levels = async (...answers: Parameters<typeof informed>[0]): Promise<unknown> => {
      const lines: string[] = [];
      const log = createLog('info', { write: (line) => void lines.push(line) });
      await informed(answers, { optional: true, log });
      return lines.map((line) => (JSON.parse(line) as { readonly level: string }).level);
    };
    expect(await levels({ fails: failure(403) }, { fails: failure(403) })).toEqual(['info']);
    expect(await levels({ list: [], version: '5' }, { stream: [failure(403)] })).toEqual(['warn']);
  });

  it('does not take an API server that is away for an empty one', async () => {
    const { told } = await informed([{ fails: failure(0) }, { fails: failure(503) }], { optional: true });
    expect(told).toEqual([]);
  });

  it('forgets nothing when a kind cannot be had for a while', async () => {
    const { told } = await informed([
      { list: [object('a', '1')], version: '5' },
      { stream: [failure(404)] },
      { fails: failure(404) },
      { list: [object('a', '1')], version: '6' },
    ]);
    expect(told).toEqual(['add a', 'synced']);
  });
});
