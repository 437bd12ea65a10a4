import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { createRooms, waitForRoom, type Room } from './room.ts';

const limits = { cluster: 100, namespace: 150 };
const tenant = (namespace: string, cluster: string) => ({ namespace, cluster, name: cluster });
const refused = (room: Room, characters: number): string | undefined => {
  try {
    room.keep(characters);
    return undefined;
  } catch (error) {
    return error instanceof KubernetesError ? `${error.reason}: ${error.message}` : String(error);
  }
};

describe('the room for what is kept of clusters', () => {
  it('is that of all watches of a cluster together', () => {
    const roomOf = createRooms(limits);
    const [nodes, pods] = [roomOf(tenant('shop', 'a')), roomOf(tenant('shop', 'a'))];
    expect(refused(nodes, 60)).toBeUndefined();
    expect(refused(pods, 40)).toBeUndefined();
    expect(refused(pods, 41)).toBe(
      'TooMuchKept: Expected to keep at most 100 characters of cluster a, got more. What is not watched is read once per interval; look for objects that do not belong there, or name fewer namespaces and clusters.',
    );
    expect(refused(nodes, 50)).toBeUndefined();
    expect(refused(pods, 50)).toBeUndefined();
  });

  it('is that of all clusters of a namespace together, and none of another', () => {
    const roomOf = createRooms(limits);
    expect(refused(roomOf(tenant('shop', 'a')), 100)).toBeUndefined();
    expect(refused(roomOf(tenant('shop', 'b')), 51)).toContain('the clusters of namespace shop');
    expect(refused(roomOf(tenant('bank', 'c')), 100)).toBeUndefined();
  });

  it('is taken up by what is listed as far as it is more than what it takes the place of', () => {
    const room = createRooms(limits)(tenant('shop', 'a'));
    room.keep(80);
    room.list(100);
    expect(() => room.list(101)).toThrow('at most 100 characters of cluster a');
    room.list(0);
    room.keep(0);
    expect(refused(room, 100)).toBeUndefined();
  });

  it('is free again once nothing is kept any more', () => {
    const roomOf = createRooms(limits);
    const room = roomOf(tenant('shop', 'a'));
    room.keep(100);
    room.keep(0);
    expect(refused(roomOf(tenant('shop', 'a')), 100)).toBeUndefined();
  });
});

it.each([
  ['some minutes where there was no room', 'TooMuchKept', [300_000]],
  ['no longer than usual otherwise', 'Timeout', []],
])('is waited for %s', async (_, reason, want) => {
  const waits: number[] = [];
  const error = new KubernetesError({ status: 0, reason, message: '' });
  await waitForRoom(error, async (ms) => void waits.push(ms), new AbortController().signal);
  expect(waits).toEqual(want);
});
