import { describe, expect, it } from 'vitest';
import { lookUntilSettled } from './target-group-set.ts';

/** Looks as often as it takes; says what goes in the end, and how often was waited. */
async function settled(...seen: readonly (readonly string[])[]) {
  let [looks, pauses] = [0, 0];
  const { decision } = await lookUntilSettled(
    () => {
      const leaving = seen[Math.min(looks, seen.length - 1)] ?? [];
      looks += 1;
      const groups = { create: [], update: [], delete: leaving.map((uid) => ({ name: uid, uid })) };
      return Promise.resolve({ decision: { groups } });
    },
    () => Promise.resolve((pauses += 1)),
  );
  return { goes: decision.groups.delete.map(({ uid }) => uid), pauses };
}

describe('the groups of bindings that are not listed any more', () => {
  it.each([
    ['go when they are not listed after a while either', [['a'], ['a']], ['a'], 1],
    ['stay when they are listed again, or their kind is gone', [['a'], []], [], 1],
    ['are waited for as long as others vanish', [['a'], ['a', 'b'], ['a', 'b']], ['a', 'b'], 2],
    ['stay when ever more vanish', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']], [], 4],
    ['are not waited for when there are none', [[]], [], 0],
  ])('%s', async (_, seen, goes, pauses) => expect(await settled(...seen)).toEqual({ goes, pauses }));
});
