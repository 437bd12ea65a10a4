import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectELBv2, type ELBv2 } from './elbv2.ts';

const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/${name}/4567`;

/** An ELBv2 whose target groups have a tag with their name; a call about one that is `gone` is refused as a whole. */
async function anELBv2(): Promise<{ readonly calls: readonly string[][]; readonly elbv2: ELBv2 }> {
  const calls: string[][] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const arns = [...new URLSearchParams(body)]
        .filter(([key]) => key.startsWith('ResourceArns'))
        .map(([, arn]) => arn);
      calls.push(arns);
      const isRefused = arns.some((arn) => arn.includes('gone'));
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'text/xml' });
      response.end(isRefused ? refusal : answer(arns));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { calls, elbv2: connectELBv2({ endpoint: `http://127.0.0.1:${port}` }).inRegion('eu-central-1') };
}
const refusal =
  '<ErrorResponse><Error><Type>Sender</Type><Code>TargetGroupNotFound</Code><Message>no</Message></Error></ErrorResponse>';
const answer = (arns: readonly string[]): string => {
  const members = arns.map((arn) => {
    const tags = arn.includes('bare') ? '' : `<member><Key>version</Key><Value>${arn}</Value></member>`;
    return `<member><ResourceArn>${arn}</ResourceArn><Tags>${tags}</Tags></member>`;
  });
  return `<DescribeTagsResponse xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"><DescribeTagsResult><TagDescriptions>${members.join('')}</TagDescriptions></DescribeTagsResult></DescribeTagsResponse>`;
};

describe('the tags of some target groups', () => {
  beforeAll(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    return () => vi.unstubAllEnvs();
  });

  it('come with one call, by ARN, none among them', async () => {
    const { elbv2, calls } = await anELBv2();
    const [a, bare] = [arnOf('a'), arnOf('bare')];
    expect(await elbv2.tagsOfGroups([a, bare])).toEqual(
      new Map([
        [a, { version: a }],
        [bare, {}],
      ]),
    );
    expect(calls).toHaveLength(1);
  });

  it('come without those that AWS does not know', async () => {
    const { elbv2 } = await anELBv2();
    const arns = ['a', 'b', 'gone1', 'c', 'gone2'].map(arnOf);
    expect([...(await elbv2.tagsOfGroups(arns)).keys()]).toEqual(['a', 'b', 'c'].map(arnOf));
  });
});
