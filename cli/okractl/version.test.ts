import { expect, it } from 'vitest';
import { runOkractl } from './testing/shell.ts';
import type { ThroughApi } from './through-api.ts';

const way = (status: number, fields: object, message = ''): ThroughApi => ({
  namespace: 'okra',
  call: () => Promise.resolve({ status, message, fields: { ...fields }, pod: 'okra/dashboard' }),
});
const lost = new Error('cannot find the dashboard.');

it.each<[string, ThroughApi | undefined, string]>([
  ['that of the dashboard', way(200, { version: '1.2.3' }), '1.2.3'],
  ['why it is refused', way(403, {}, 'You may not list cells.'), 'unknown (403 You may not list cells.)'],
  [
    'why it cannot be asked',
    { namespace: 'okra', call: () => Promise.reject(lost) },
    'unknown (cannot find the dashboard.)',
  ],
  ['that Temporal does not know it', undefined, 'unknown (Temporal, to which requests go, does not know it)'],
])('says of the version of the server %s', async (_, throughApi, said) =>
  expect((await runOkractl(['version'], { throughApi })).out).toBe(
    `Client Version: 0.0.0\nServer Version: ${said}\n`,
  ),
);

it('asks nobody with --client', async () =>
  expect((await runOkractl(['version', '--client'], { throughApi: way(500, {}) })).out).toBe(
    'Client Version: 0.0.0\n',
  ));
