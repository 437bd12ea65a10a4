import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { expect, it } from 'vitest';
import { connectAsPerson, connectWithToken } from './person.ts';

it('asks by the token of a person, with nothing of what the process logs in with', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.end(JSON.stringify({ status: { userInfo: { username: 'ann' }, allowed: false } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'okra-person-'));
  const path = join(folder, 'config');
  const name = 'process';
  const port = (server.address() as AddressInfo).port;
  const user = { token: 'of-the-process', as: 'system:admin', username: 'root', password: 'secret' };
  const kubeconfig = {
    clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  await writeFile(path, stringify(kubeconfig));
  const person = connectWithToken(path, 'of-ann');
  expect(await person.whoAmI()).toBe('ann');
  expect(await person.may({ group: '', resource: 'pods', verb: 'get' })).toBe(false);
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer of-ann', 'Bearer of-ann']);
  expect(seen.flatMap(Object.keys).filter((header) => header.startsWith('impersonate'))).toEqual([]);
  server.close();
  await rm(folder, { recursive: true });
});

it.each<[string, object, string | undefined]>([
  ['of who logs in with one', { token: 'of-ann' }, 'of-ann'],
  ['of nobody who acts as another', { token: 'of-ann', as: 'bob' }, undefined],
  ['of nobody who has none', { username: 'ann', password: 'secret' }, undefined],
])('shows the token %s', async (_, user, token) => {
  const folder = await mkdtemp(join(tmpdir(), 'okra-person-'));
  const path = join(folder, 'config');
  const name = 'ann';
  const kubeconfig = {
    clusters: [{ name, cluster: { server: 'http://127.0.0.1:1', 'insecure-skip-tls-verify': true } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  await writeFile(path, stringify(kubeconfig));
  expect(await connectAsPerson({ kubeconfig: path }).bearerToken()).toBe(token);
  await rm(folder, { recursive: true });
});

it('has the API server take each request as one of another person, with each group', async () => {
  const seen: string[][] = [];
  const server = createServer((request, response) => {
    seen.push(request.rawHeaders);
    response.end(JSON.stringify({ status: { userInfo: { username: 'bob' } } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'okra-person-'));
  const path = join(folder, 'config');
  const name = 'ann';
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = {
    clusters: [{ name, cluster: { server: address, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: { token: 'of-ann' } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  await writeFile(path, stringify(kubeconfig));
  const of = (headers: readonly string[] = []) =>
    headers.flatMap((header, at) =>
      /^(impersonate-|authorization)/i.test(header) ? [`${header.toLowerCase()}: ${headers[at + 1]}`] : [],
    );
  const person = connectAsPerson({ kubeconfig: path, as: 'bob', asGroups: ['sre', 'release'] });
  expect(await person.whoAmI()).toBe('bob');
  expect(of(seen[0]).toSorted()).toEqual([
    'authorization: Bearer of-ann',
    'impersonate-group: release',
    'impersonate-group: sre',
    'impersonate-user: bob',
  ]);
  await connectAsPerson({ kubeconfig: path, as: 'bob', asGroups: [] }).whoAmI();
  expect(of(seen[1]).toSorted()).toEqual(['authorization: Bearer of-ann', 'impersonate-user: bob']);
  // The dashboard would take the token for one of the person who acts.
  expect(await person.bearerToken()).toBeUndefined();
  server.close();
  await rm(folder, { recursive: true });
});
