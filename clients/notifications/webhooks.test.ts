import { describe, expect, it, onTestFinished } from 'vitest';
import type { Notification } from '../../domain/rollout/report/notifications.ts';
import { until } from '../../test/support/until.ts';
import { serveWebhook, writeNotifications } from '../../test/support/webhook.ts';
import { fill, notifyWebhooks, readWebhooks } from './webhooks.ts';

const reverted: Notification = {
  id: 'uid/12',
  kind: 'Reverted',
  namespace: 'shop',
  name: 'web',
  reason: 'WeightsReverted',
  message: 'Shifted all traffic back to "1.0.0".',
  desiredVersion: '2.0.0',
  stableVersion: '1.0.0',
  canaryWeight: 0,
};

/** A webhook, who notifies it, and what was logged. */
async function receive(...statuses: readonly number[]) {
  const webhook = await serveWebhook(...statuses);
  const { url, got } = webhook;
  const ended = new AbortController();
  onTestFinished(async () => {
    ended.abort();
    await webhook[Symbol.asyncDispose]();
  });
  const logged: unknown[] = [];
  const log = { warn: (about: unknown) => void logged.push(about) };
  const start = (over: object = {}) =>
    notifyWebhooks(readWebhooks(writeNotifications({ webhooks: [{ url, ...over }] })), {
      log,
      signal: ended.signal,
      longestWaitMs: 5,
    });
  const untilGot = (count: number) =>
    until(`${count} notifications`, () => Promise.resolve(got.length === count));
  return { got, logged, start, untilGot };
}

describe('a notification', () => {
  it('is a CloudEvent, sent once, however often it is reported', async () => {
    const { got, start, untilGot } = await receive();
    const notify = start({ headers: { authorization: 'Bearer 1' } });
    notify(reverted);
    notify(reverted);
    notify({ ...reverted, id: 'uid/13', kind: 'NeedsApproval' });
    await untilGot(2);
    const [first, second] = got;
    expect(first?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      authorization: 'Bearer 1',
    });
    const { id, kind: _kind, ...data } = reverted;
    expect(JSON.parse(first?.body ?? '')).toEqual({
      specversion: '1.0',
      id,
      source: '/apis/okra.mumo.co/v1alpha1/namespaces/shop/cells/web',
      type: 'co.mumo.okra.cell.reverted',
      subject: 'shop/web',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      datacontenttype: 'application/json',
      data: { kind: 'Reverted', ...data },
    });
    expect(JSON.parse(second?.body ?? '')).toMatchObject({ type: 'co.mumo.okra.cell.needsApproval' });
  });

  it('has the body of its template, with what would end a text escaped', async () => {
    const { got, start, untilGot } = await receive();
    start({ body: '{"text": "{{kind}} {{namespace}}/{{name}}: {{message}} {{ desiredVersion }}"}' })(
      reverted,
    );
    await untilGot(1);
    expect(got[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({
      text: 'Reverted shop/web: Shifted all traffic back to "1.0.0". 2.0.0',
    });
  });

  it.each([
    ['hooks.slack.com', 'a &lt;!channel&gt; &amp; "b"'],
    ['hooks.slack-gov.com', 'a &lt;!channel&gt; &amp; "b"'],
    ['events.example.com', 'a <!channel> & "b"'],
  ])('mentions nobody by a text: for %s', (host, text) => {
    const said = fill('{"text": "<a|b> {{message}}"}', { ...reverted, message: 'a <!channel> & "b"' }, host);
    expect(JSON.parse(said)).toEqual({ text: `<a|b> ${text}` });
  });

  it('reaches only those who ask for its kind and its namespace', async () => {
    const { got, start, untilGot } = await receive();
    const notify = start({ kinds: ['Reverted'], namespaces: ['shop'] });
    notify({ ...reverted, id: '1', kind: 'Started' });
    notify({ ...reverted, id: '2', namespace: 'other' });
    notify({ ...reverted, id: '3' });
    await untilGot(1);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ id: '3' });
  });

  it('is sent again after 500 and 429, and not after another refusal, which is logged without the address', async () => {
    const { got, logged, start, untilGot } = await receive(500, 429, 204, 404);
    const notify = start();
    notify({ ...reverted, id: '1' });
    notify({ ...reverted, id: '2' });
    notify({ ...reverted, id: '3' });
    await untilGot(5);
    expect(got.map(({ body }) => (JSON.parse(body) as { id: string }).id)).toEqual(['1', '1', '1', '2', '3']);
    expect(logged).toEqual([
      {
        event: 'Reverted: shop/web',
        cause: expect.stringMatching(/^cannot notify 127\.0\.0\.1:\d+: 404 "said"/),
      },
    ]);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('tells the log neither the address nor the headers that a refusal repeats', async () => {
    const { logged, start } = await receive(410);
    start({ headers: { authorization: 'Bearer 0123' } })(reverted);
    await until('it to be logged', () => Promise.resolve(logged.length === 1));
    expect(logged).toMatchObject([{ cause: expect.stringContaining('410 "Cannot POST … with …"') }]);
  });

  it('is given up after five attempts', async () => {
    const { logged, start, untilGot } = await receive(500, 500, 500, 500, 500);
    start()(reverted);
    await untilGot(5);
    await until('it to be logged', () => Promise.resolve(logged.length === 1));
  });
});

describe('the file of notifications', () => {
  const url = 'https://example.com';
  it.each([
    ['is no YAML', '{', /cannot read the file .* of OKRA_NOTIFICATIONS: /],
    ['has another field', { webhooks: [{ url, kind: 'Held' }] }, /invalid webhooks\.0: /],
    [
      'has no such kind',
      { webhooks: [{ url, kinds: ['Done'] }] },
      /invalid webhooks\.0\.kinds\.0: must be one of Started, /,
    ],
    ['has no URL', { webhooks: [{ url: 'example.com' }] }, /invalid webhooks\.0\.url: must be a URL/],
    [
      'names an unknown variable',
      { webhooks: [{ url, body: '{"a": "{{cell}}"}' }] },
      /must have no other variables than kind, /,
    ],
    ['has a body that is no JSON', { webhooks: [{ url, body: '{{message}}' }] }, /must be JSON/],
  ])('is refused when it %s', (_, content, said) => {
    expect(() => readWebhooks(writeNotifications(content))).toThrow(said);
  });

  it('is refused when it is not there', () => {
    expect(() => readWebhooks('/nowhere/notifications.yaml')).toThrow(/cannot read the file .*ENOENT/);
  });
});
