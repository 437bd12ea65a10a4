import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy, type RunningProxy } from '../../local/elbv2-proxy/server.ts';
import { createUpstream, endToEnd } from '../../local/elbv2-proxy/upstream.ts';
import { createRule, errorOf, setWeights, weightsOf } from './elbv2-proxy/calls.ts';
import { createSite, startFixture, type Fixture, type Site } from './elbv2-proxy/fixture.ts';

/** Stands between a proxy and the emulator, and counts what that is asked; one action may fail after it was applied. */
async function startRelay(motoUrl: string) {
  const asked: string[] = [];
  const failing = new Set<string>();
  const pass = createUpstream(motoUrl);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const body = await buffer(request);
    const action = new URLSearchParams(body.toString()).get('Action') ?? '';
    asked.push(action);
    const answer = await pass({ method, path, headers, body });
    response.writeHead(failing.delete(action) ? 500 : answer.status, endToEnd(answer.headers));
    response.end(answer.body);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    failOnce: (action: string): void => void failing.add(action),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

describe('what the emulator is asked', () => {
  let fixture: Fixture;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let proxy: RunningProxy;
  let elb: Fixture['elb'];
  let site: Site;
  let arn: string;
  beforeAll(async () => {
    fixture = await startFixture();
    site = await createSite(fixture);
    relay = await startRelay(fixture.motoUrl);
    proxy = await startProxy({ upstream: relay.url });
    elb = fixture.client({ endpoint: proxy.url });
    arn = await createRule(elb, site);
  });
  afterAll(async () => {
    await proxy.close();
    await relay.close();
    await fixture[Symbol.asyncDispose]();
  });

  /** The weights of the rule, and how often the emulator was asked for rules to tell them. */
  async function read(): Promise<readonly [weights: readonly (number | undefined)[], asked: number]> {
    const before = relay.asked.length;
    const weights = await weightsOf(elb, arn);
    return [weights, relay.asked.slice(before).filter((action) => action === 'DescribeRules').length];
  }

  it('is what a write has changed, once after each', async () => {
    await setWeights(elb, site, { arn, weights: [70, 30] });
    expect(await read()).toEqual([[70, 30], 1]);
    expect(await read()).toEqual([[70, 30], 0]);
    await setWeights(elb, site, { arn, weights: [60, 40] });
    expect(await read()).toEqual([[60, 40], 1]);
    expect(await read()).toEqual([[60, 40], 0]);
  });

  it('is everything after a write whose effects are not followed', async () => {
    await read();
    const Attributes = [{ Key: 'routing.http.response.server.enabled', Value: 'false' }];
    await elb.modifyListenerAttributes({ ListenerArn: site.listener, Attributes });
    expect((await read())[1]).toBe(1);
  });

  it('is everything after a write that was refused, of which a part may have been done', async () => {
    const [first = '', full = ''] = site.groups;
    const tags = Array.from({ length: 10 }, (_, index) => ({ Key: `k${index}`, Value: 'v' }));
    await elb.addTags({ ResourceArns: [full], Tags: tags });
    const tagsOf = async (client: Fixture['elb']) =>
      (await client.describeTags({ ResourceArns: [first] })).TagDescriptions?.[0]?.Tags;
    expect(await tagsOf(elb)).toEqual([]);
    // AWS takes 50 tags, moto ten.
    const more = { ResourceArns: [first, full], Tags: [{ Key: 'more', Value: 'v' }] };
    expect((await errorOf(elb.addTags(more))).name).toBe('TooManyTagsException');
    const done = await tagsOf(fixture.client({ endpoint: fixture.motoUrl }));
    expect(done).toHaveLength(1);
    expect(await tagsOf(elb)).toEqual(done);
  });

  it('is everything after a write of which nobody knows whether it was applied', async () => {
    await read();
    relay.failOnce('ModifyRule');
    expect(await errorOf(setWeights(elb, site, { arn, weights: [10, 90] }))).toBeDefined();
    const [weights, asked] = await read();
    expect(weights).toEqual([10, 90]);
    // Once to know all that is there, for each listener, and once for the rule.
    expect(asked).toBeGreaterThan(1);
  });
});
