import { describe, expect, it } from 'vitest';
import { CONFIG_MAP } from './kinds.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { listAll } from './kubernetes-list.ts';
import type { Call } from './kubernetes-transport.ts';

const expired = () => new KubernetesError({ status: 410, reason: 'Expired', message: 'too old' });
const page = (names: string[], next?: string) => ({
  metadata: { resourceVersion: '7', ...(next === undefined ? {} : { continue: next }) },
  items: names.map((name) => ({ metadata: { name } })),
});

/** An API server that gives these answers in turn. */
function serving(...answers: (object | Error)[]) {
  const asked: (string | undefined)[] = [];
  const call: Call = async <T>(request: Parameters<Call>[0]) => {
    asked.push(request.query?.continue);
    const answer = await Promise.resolve(answers.shift());
    if (answer instanceof Error) throw answer;
    return answer as T;
  };
  return { asked, call };
}

const namesOf = async (call: Call) => {
  const { items } = await listAll<{ kind: string; metadata: { name: string } }>(call, CONFIG_MAP, {});
  return items.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
};

describe('listAll', () => {
  it('takes of each page what is wanted before it asks for the next', async () => {
    const { call } = serving(page(['a'], '1'), page(['b']));
    const order: string[] = [];
    const inOrder: Call = async (request) => {
      order.push(`page ${request.query?.continue ?? ''}`);
      return await call(request);
    };
    const { items } = await listAll<{ metadata: { name: string } }>(inOrder, CONFIG_MAP, {
      trim: ({ metadata }) => {
        order.push(metadata.name);
        return { metadata };
      },
    });
    expect(order).toEqual(['page ', 'a', 'page 1', 'b']);
    expect(items).toEqual([{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }]);
  });

  it('reads every page, and says of each item what it is', async () => {
    const { asked, call } = serving(page(['a', 'b'], 'next'), page(['c']));
    expect(await namesOf(call)).toEqual(['ConfigMap a', 'ConfigMap b', 'ConfigMap c']);
    expect(asked).toEqual([undefined, 'next']);
  });

  it('begins again when the next page has become too old', async () => {
    const { asked, call } = serving(page(['a'], 'old'), expired(), page(['a'], 'next'), page(['b']));
    expect(await namesOf(call)).toEqual(['ConfigMap a', 'ConfigMap b']);
    expect(asked).toEqual([undefined, 'old', undefined, 'next']);
  });

  it('takes no answer without items for an empty list', async () => {
    const { call } = serving({ kind: 'Status', status: 'Success', metadata: {} });
    await expect(namesOf(call)).rejects.toThrow('must be a list of configmaps');
    const { call: old } = serving({ metadata: { resourceVersion: '7' }, items: null });
    expect(await namesOf(old)).toEqual([]);
  });

  it('gives up a list of more objects than there may be of a kind', async () => {
    const most = { most: 2 };
    const { call } = serving(page(['a', 'b']), page(['a'], 'next'), page(['b', 'c']));
    expect((await listAll(call, CONFIG_MAP, most)).items).toHaveLength(2);
    await expect(listAll(call, CONFIG_MAP, most)).rejects.toMatchObject({
      reason: 'ListTooLarge',
      message: expect.stringContaining('a list of at most 2 objects'),
    });
  });

  it('asks for fewer objects at once after an answer that is too large', async () => {
    const sizes: (string | undefined)[] = [];
    const call: Call = async <T>({ query }: Parameters<Call>[0]) => {
      sizes.push(query?.limit);
      if (sizes.length < 3)
        throw new KubernetesError({ status: 0, reason: 'AnswerTooLarge', message: 'much' });
      return await Promise.resolve(page(['a']) as T);
    };
    expect(await namesOf(call)).toHaveLength(1);
    expect(sizes).toEqual(['500', '125', '32']);
  });

  it('gives up on a server that says so for ever', async () => {
    const { asked, call } = serving(...Array.from({ length: 9 }, expired));
    await expect(namesOf(call)).rejects.toThrow('too old');
    expect(asked).toHaveLength(6);
  });
});
