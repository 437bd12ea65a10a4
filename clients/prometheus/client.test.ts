import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectPrometheus } from './client.ts';

const MINUTE = 60_000;
const from = 1_800_000_000_000;
const window = { from, to: from + 2 * MINUTE, bucketMs: MINUTE };

/** What answers everything in one way, as the real Prometheus does not (test/rollout/providers.test.ts), and what it was asked. */
async function aPrometheus(status: number, body: string, headers: Record<string, string> = {}) {
  const asked: { path: string; authorization: string | undefined; form: Record<string, string> }[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((parts: Buffer[]) => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
      asked.push({ path: request.url ?? '', authorization: request.headers.authorization, form });
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (query = 'up', access = {}) =>
    connectPrometheus()({ address, ...access }, { query, window }, new AbortController().signal);
  return { asked, ask };
}

const matrix = (...values: unknown[]): string =>
  JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: values } });
const at = (minutes: number): number => (from + minutes * MINUTE) / 1000;

describe('Prometheus', () => {
  const failed = (errorType: string): string =>
    JSON.stringify({ status: 'error', errorType, error: 'query timed out' });
  it.each<[string, number, string, string, string]>([
    ['an HTML page', 200, '<html>Sign in</html>', 'Unavailable', '200 "<html>Sign in</html>"'],
    ['the page of a proxy', 502, '<html>Bad Gateway</html>', 'Unavailable', '502 "<html>Bad Gateway'],
    ['nothing', 200, '', 'Unavailable', '200 nothing'],
    ['an error that has a success in it', 500, matrix(), 'Unavailable', 'cannot query Prometheus: 500'],
    ['native histograms', 200, matrix({ metric: {}, histograms: [] }), 'Unavailable', 'native histograms'],
    [
      'native histograms and numbers',
      200,
      matrix({ metric: {}, values: [[at(1), '0']], histograms: [[at(2), {}]] }),
      'Unavailable',
      'native histograms',
    ],
    ['series without values', 200, matrix({ metric: {} }), 'Unavailable', 'numbers, got none'],
    ['something for a series', 200, matrix(null), 'Unavailable', 'numbers, got none'],
    [
      'something for a number',
      200,
      matrix({ metric: {}, values: [[at(1), null]] }),
      'Unavailable',
      'numbers, got null',
    ],
    [
      'a text',
      200,
      matrix({ metric: {}, values: [[at(1), 'many']] }),
      'Unavailable',
      'expected numbers, got "many"',
    ],
    [
      'a part',
      200,
      JSON.stringify({ status: 'success', warnings: ['one store is missing'], data: {} }),
      'Unavailable',
      'one store is missing',
    ],
    [
      'something else than series',
      200,
      JSON.stringify({ status: 'success', data: { resultType: 'string', result: [1, 'a'] } }),
      'Unavailable',
      'a matrix, got string',
    ],
    ['too little time', 503, failed('timeout'), 'Unavailable', 'timeout'],
    ['no leave', 401, 'Unauthorized', 'Refused', 'Correct the Secret'],
    ['more than anybody reads', 200, matrix().padEnd(4_000_001), 'Unavailable', 'more than 4000000 bytes'],
  ])('that answers with %s says so', async (_, status, body, is, message) => {
    const { ask } = await aPrometheus(status, body);
    await expect(ask()).rejects.toMatchObject({
      trouble: { is },
      message: expect.stringContaining(message) as string,
    });
  });

  it('says numbers as texts, of which some are infinite and some are none', async () => {
    const values = ['1.5', '+Inf', '-Inf', 'NaN'].map((text, index) => [at(index + 1), text]);
    const { ask } = await aPrometheus(200, matrix({ metric: {}, values }));
    const points = [1.5, Infinity, -Infinity, null].map((value, index) => [from + index * MINUTE, value]);
    expect(await ask()).toEqual({ is: 'Series', series: [{ group: '', points }] });
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['in JSON', failed('too_many_requests'), { 'retry-after': '7' }, 7_000],
    ['in a text', 'err-mimir-tenant-max-request-rate', { 'retry-after': '86400' }, 300_000],
    ['without a time', '', {}, 30_000],
  ])('that takes no more requests for now is asked later: %s', async (_, body, headers, retryAfterMs) => {
    const { ask } = await aPrometheus(429, body, headers);
    await expect(ask()).rejects.toMatchObject({ trouble: { is: 'RateLimited', retryAfterMs } });
  });

  it('is not followed elsewhere', async () => {
    const { ask, asked } = await aPrometheus(302, '', { location: '/elsewhere' });
    await expect(ask()).rejects.toThrow('redirect (302)');
    expect(asked).toHaveLength(1);
  });

  it.each([
    'http://169.254.169.254/',
    'http://user:secret@prometheus:9090',
    'file:///etc/passwd',
    'prometheus',
  ])('is not asked at %s', async (address) => {
    const asking = connectPrometheus()({ address }, { query: 'up', window }, new AbortController().signal);
    await expect(asking).rejects.toMatchObject({ name: 'ProviderError' });
  });
});
