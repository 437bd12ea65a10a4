import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { connectELBv2 } from './elbv2.ts';
import { outcomeOf } from './request-count.ts';

const credentials = () => Promise.resolve({ accessKeyId: 'a', secretAccessKey: 'b' });

/** An ELBv2 that gives these answers one after the other. */
async function answering(answers: readonly (readonly [status: number, body: string])[]) {
  const left = [...answers];
  const server = createServer((request, response) => {
    request.resume();
    const [status, body] = left.shift() ?? [500, ''];
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    [Symbol.asyncDispose]: async () => void (await new Promise((end) => server.close(end))),
  };
}

const throttled =
  '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>';
const health =
  '<DescribeTargetHealthResponse><DescribeTargetHealthResult><TargetHealthDescriptions/></DescribeTargetHealthResult></DescribeTargetHealthResponse>';

describe('requests to AWS', () => {
  it('are counted each, also those that the SDK repeats', async () => {
    await using elbv2 = await answering([
      [400, throttled],
      [200, health],
    ]);
    const metrics = createMetrics();
    const { endpoint } = elbv2;
    const client = connectELBv2({ endpoint, credentials, tell: metrics }).inRegion('eu-central-1');
    await client.targetHealth('arn:aws:elasticloadbalancing:eu-central-1:000000000000:targetgroup/a/1');
    const of = 'service="ElasticLoadBalancingV2",operation="DescribeTargetHealth",region="eu-central-1"';
    const text = await metrics.scrape();
    expect(text).toContain(`okra_aws_requests_total{${of},outcome="Throttled"} 1`);
    expect(text).toContain(`okra_aws_requests_total{${of},outcome="OK"} 1`);
    expect(text).toContain(
      'okra_aws_request_duration_seconds_count{service="ElasticLoadBalancingV2",operation="DescribeTargetHealth"} 2',
    );
  });

  it('are counted together for regions that are more than AWS has', async () => {
    await using elbv2 = await answering(Array.from({ length: 102 }, () => [200, health] as const));
    const metrics = createMetrics();
    const regions = connectELBv2({ endpoint: elbv2.endpoint, credentials, tell: metrics });
    for (let number = 1; number <= 102; number += 1)
      await regions.inRegion(`xx-made-up-${number}`).targetHealth('arn');
    const text = await metrics.scrape();
    expect(text.match(/okra_aws_requests_total\{[^}]*region="xx-made-up-/g)).toHaveLength(100);
    expect(text).toMatch(/okra_aws_requests_total\{[^}]*region="other",outcome="OK"\} 2/);
  });

  const error = (name: string, status?: number): Error =>
    Object.assign(
      new Error(name),
      { name },
      status === undefined ? {} : { $metadata: { httpStatusCode: status } },
    );
  it.each([
    ['one too many', error('ThrottlingException', 400), 'Throttled'],
    ['one too many by its status', error('Unknown', 429), 'Throttled'],
    ['refused', error('AccessDenied', 403), 'Failed'],
    ['not answered', error('TimeoutError'), 'Unanswered'],
  ])('are %s', (_, thrown, want) => expect(outcomeOf(thrown)).toBe(want));
});
