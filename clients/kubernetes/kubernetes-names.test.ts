import { expect, it } from 'vitest';
import { SECRET } from './kinds.ts';
import { clientOver } from './kubernetes.ts';

it.each(['.', '..', ''])(
  'asks for no other path than that of an object where its name is %j',
  async (name) => {
    const sent: string[] = [];
    const client = clientOver(({ method, path }) => {
      sent.push(`${method} ${new URL(`https://kubernetes${path}`).pathname}`);
      return Promise.reject(new Error('Expected no such request.'));
    });
    expect(await client.get(SECRET, { namespace: 'team', name })).toBeUndefined();
    expect(await client.get(SECRET, { namespace: name, name: 'key' })).toBeUndefined();
    await client.delete(SECRET, { namespace: 'team', name });
    await expect(client.patch(SECRET, { namespace: 'team', name }, {})).rejects.toThrow(
      'got one that no object',
    );
    await expect(client.list(SECRET, { namespace: name })).rejects.toThrow('got one that no object');
    expect(sent).toEqual([]);
  },
);
