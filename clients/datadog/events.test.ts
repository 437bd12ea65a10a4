import { describe, expect, it, onTestFinished } from 'vitest';
import { outsideEvent } from '../../domain/rollout/report/events.ts';
import { serveDatadog } from '../../local/datadog/server.ts';
import { until } from '../../test/support/until.ts';
import { postDatadogEvents } from './events.ts';

const key = { namespace: 'shop', name: 'web' };
const reported = (reason: string, message = 'Said.') => ({
  id: reason,
  type: 'Normal' as const,
  reason,
  message,
});

/** A Datadog, what tells it of events, and what was logged. */
async function telling(over = {}) {
  const datadog = await serveDatadog({ apiKey: 'the-key', appKey: 'b' });
  const ended = new AbortController();
  onTestFinished(async () => {
    ended.abort();
    await datadog[Symbol.asyncDispose]();
  });
  const logged: unknown[] = [];
  const log = { warn: (of: unknown) => void logged.push(of) };
  const options = {
    url: datadog.url,
    apiKey: 'the-key',
    log,
    signal: ended.signal,
    longestWaitMs: 1,
    ...over,
  };
  const tell = postDatadogEvents(options);
  const send = (reason: string, message?: string): void => {
    const event = outsideEvent(key, reported(reason, message));
    if (event !== undefined) tell(reason, event);
  };
  return { datadog, logged, send };
}

describe('events of a rollout', () => {
  it('are told with tags, each once, whatever is reported again', async () => {
    const { datadog, send } = await telling();
    send('RolloutStarted');
    send('RolloutStarted');
    send('WeightsShifted', 'Setting the weight of 2.0.0 to 20.');
    await until('both to be told', () => Promise.resolve(datadog.events.length === 2));
    expect(datadog.events).toMatchObject([
      {
        title: 'RolloutStarted: shop/web',
        alert_type: 'info',
        tags: ['source:okra', 'okra_namespace:shop', 'okra_cell:web', 'okra_event:RolloutStarted'],
      },
      {
        title: 'WeightsShifted: shop/web',
        text: 'Setting the weight of 2.0.0 to 20.',
        aggregation_key: 'okra/shop/web',
      },
    ]);
  });

  it.each(['AnalysisStarted', 'StepCompleted', 'constructor'])('of other kinds are not told: %s', (reason) =>
    expect(outsideEvent(key, reported(reason))).toBeUndefined(),
  );

  it('hold nobody up when Datadog takes none, and are logged without the key', async () => {
    const { datadog, logged, send } = await telling();
    const [failed, limited] = [
      { status: 500, body: 'the-key' },
      { status: 429, body: '{}' },
    ];
    datadog.instead.push(failed, limited, failed, limited, failed, { status: 403, body: '{}' });
    send('RolloutStarted');
    send('RolloutFailed');
    send('Reverted');
    await until('the last to be told', () => Promise.resolve(datadog.events.length === 1));
    expect(datadog.events).toMatchObject([{ title: 'Reverted: shop/web' }]);
    expect(logged).toMatchObject([
      { event: 'RolloutStarted: shop/web' },
      { event: 'RolloutFailed: shop/web' },
    ]);
    expect(JSON.stringify(logged)).not.toContain('the-key');
  });

  it('are dropped when nobody answers', async () => {
    const { logged, send } = await telling({ url: 'http://127.0.0.1:1' });
    send('RolloutStarted');
    await until('it to be logged', () => Promise.resolve(logged.length === 1));
    expect(logged).toHaveLength(1);
  });
});
