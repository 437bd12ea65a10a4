import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../clients/metrics/metrics.ts';
import { serveHealth } from './health.ts';

const metrics = createMetrics();
let server: Awaited<ReturnType<typeof serveHealth>> | undefined;
afterEach(() => server?.close());

async function ask(path: string, missing: string[] = []): Promise<[number, string]> {
  server = await serveHealth({ host: '127.0.0.1', port: 0, missing: () => missing, metrics });
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return [response.status, await response.text()];
}

describe('the health server', () => {
  it.each([
    ['is alive while it waits', '/healthz', ['worker'], [200, 'ok\n']],
    [
      'is not ready while it waits, and says for what',
      '/readyz',
      ['watchers', 'worker'],
      [503, 'waiting for watchers\nwaiting for worker\n'],
    ],
    ['is ready when nothing is missing', '/readyz', [], [200, 'ok\n']],
    ['knows no other path', '/', [], [404, 'Not found: use /healthz, /readyz or /metrics.\n']],
  ])('%s', async (_, path, missing, want) => expect(await ask(path, missing)).toEqual(want));

  it('tells its metrics', async () => {
    metrics.count('okra_analysis_results_total', { kind: 'Check', verdict: 'Failed' });
    const [status, text] = await ask('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('okra_analysis_results_total{kind="Check",verdict="Failed"} 1');
  });
});
