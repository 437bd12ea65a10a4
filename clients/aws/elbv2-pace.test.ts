import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readPace, type ReadPriority } from './elbv2-pace.ts';
import { connectELBv2, type ELBv2 } from './elbv2.ts';

const ARN = 'arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web/4567';
const answer = `<DescribeTargetGroupsResponse xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"><DescribeTargetGroupsResult><TargetGroups><member><TargetGroupArn>${ARN}</TargetGroupArn><LoadBalancerArns/></member></TargetGroups></DescribeTargetGroupsResult></DescribeTargetGroupsResponse>`;
const throttled =
  '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>';

/** An ELBv2 that throttles its first calls, read at a pace that is told of each read. */
async function anELBv2(throttles: number, wait: (signal: AbortSignal) => Promise<void>) {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    calls += 1;
    const refused = calls <= throttles;
    response.writeHead(refused ? 400 : 200, { 'content-type': 'text/xml' });
    response.end(refused ? throttled : answer);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const elbv2: ELBv2 = connectELBv2({ endpoint, pace: (_, signal) => wait(signal) }).inRegion('eu-central-1');
  return { elbv2, calls: () => calls };
}

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return () => vi.unstubAllEnvs();
});

describe('reads of ELBv2', () => {
  it('wait for their turn, each attempt of the SDK for its own', async () => {
    let turns = 0;
    const { elbv2, calls } = await anELBv2(1, () => Promise.resolve(void (turns += 1)));
    expect(await elbv2.targetGroups([ARN])).toHaveLength(1);
    expect([turns, calls()]).toEqual([2, 2]);
  });

  it('are given up while they wait, and then not sent', async () => {
    const given = new AbortController();
    const { elbv2, calls } = await anELBv2(0, (signal) => {
      given.abort();
      return Promise.reject(signal.reason as Error);
    });
    await expect(elbv2.targetHealth(ARN, given.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(calls()).toBe(0);
  });
});

describe('the pace of reads', () => {
  const never = new AbortController().signal;
  const isWaiting = async (turn: Promise<void>): Promise<boolean> => {
    const waiting = Symbol('waiting');
    const soon = new Promise((resolve) => setImmediate(() => resolve(waiting)));
    return (await Promise.race([turn, soon])) === waiting;
  };

  it('is kept for each region, and what takes traffic back has a read left', async () => {
    let priority: ReadPriority = 'Usual';
    const pace = readPace(
      { perSecond: 0.01, burst: 2 },
      () => priority,
      () => 1000,
    );
    await Promise.all([pace('eu', never), pace('eu', never)]);
    const given = new AbortController();
    const late = pace('eu', given.signal);
    expect(await isWaiting(late)).toBe(true);
    expect(await isWaiting(pace('us', never))).toBe(false);
    priority = 'Urgent';
    expect(await isWaiting(pace('eu', never))).toBe(false);
    given.abort(new Error('given up'));
    await expect(late).rejects.toThrow('given up');
  });

  it('leaves half of it to rollouts, however much discovery wants to read', async () => {
    let priority: ReadPriority = 'Background';
    const pace = readPace(
      { perSecond: 10, burst: 10 },
      () => priority,
      () => 1000,
    );
    const given = new AbortController();
    const turns = Array.from({ length: 100 }, () => pace('eu', given.signal));
    const read = await Promise.all(turns.map(isWaiting));
    expect(read.filter((waits) => !waits)).toHaveLength(5);
    priority = 'Usual';
    const others = Array.from({ length: 6 }, () => pace('eu', given.signal));
    expect((await Promise.all(others.map(isWaiting))).filter((waits) => !waits)).toHaveLength(5);
    given.abort(new Error('given up'));
    await Promise.allSettled([...turns, ...others]);
  });
});
