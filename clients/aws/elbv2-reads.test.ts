import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
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
  return { calls, elbv2: await connectTo(server) };
}

async function connectTo(server: Server): Promise<ELBv2> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return connectELBv2({ endpoint: `http://127.0.0.1:${port}` }).inRegion('eu-central-1');
}

/** An ELBv2 that has one answer to everything: an XML document, or what an action results in. */
async function anELBv2ThatSays(answered: string): Promise<ELBv2> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const action = new URLSearchParams(body).get('Action') ?? '';
      const result = `<${action}Response xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"><${action}Result>${answered}</${action}Result></${action}Response>`;
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(answered.startsWith('<html>') ? answered : result);
    });
  });
  return await connectTo(server);
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

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return () => vi.unstubAllEnvs();
});

describe('the tags of some target groups', () => {
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

describe('a read of ELBv2', () => {
  const reads: readonly [string, (elbv2: ELBv2) => Promise<unknown>, string, unknown][] = [
    ['the rules of a listener', (elbv2) => elbv2.rulesOf('l'), '<Rules/>', []],
    ['a rule', (elbv2) => elbv2.rule('r'), '<Rules/>', undefined],
    [
      'the tags of something',
      (elbv2) => elbv2.tagsOf('a'),
      '<TagDescriptions><member><ResourceArn>a</ResourceArn><Tags/></member></TagDescriptions>',
      {},
    ],
    ['the tags of groups', (elbv2) => elbv2.tagsOfGroups(['a']), '<TagDescriptions/>', new Map()],
    ['target groups', (elbv2) => elbv2.targetGroups(['a']), '<TargetGroups/>', []],
    ['a target group by name', (elbv2) => elbv2.targetGroupNamed('a'), '<TargetGroups/>', undefined],
    ['the health of targets', (elbv2) => elbv2.targetHealth('a'), '<TargetHealthDescriptions/>', []],
    ['the attributes of a group', (elbv2) => elbv2.attributesOf('a'), '<Attributes/>', {}],
  ];

  it.each(reads)('of %s takes an empty list for what it is', async (_, read, answered, want) => {
    expect(await read(await anELBv2ThatSays(answered))).toEqual(want);
  });

  it('of the rules of a listener leaves its default rule out', async () => {
    const rule = (priority: string) =>
      `<member><RuleArn>${priority}</RuleArn><Priority>${priority}</Priority><Actions/></member>`;
    const elbv2 = await anELBv2ThatSays(`<Rules>${rule('10')}${rule('default')}</Rules>`);
    expect(await elbv2.rulesOf('l')).toMatchObject([{ RuleArn: '10' }]);
  });

  it.each([
    ...reads,
    ['a listener', (elbv2) => elbv2.listener('l'), '', undefined] as (typeof reads)[number],
  ])('of %s takes no answer without a list for an empty one', async (_, read) => {
    for (const answered of ['', '<html><body>welcome</body></html>']) {
      const found = read(await anELBv2ThatSays(answered));
      await expect(found).rejects.toThrow(/^cannot read the answer of ELBv2: .* not found in it\.$/);
    }
  });

  it.each<[string, (elbv2: ELBv2) => Promise<unknown>, string]>([
    ['rules', (elbv2) => elbv2.rulesOf('l'), 'Rules'],
    ['target groups', (elbv2) => elbv2.targetGroups(['a']), 'TargetGroups'],
  ])('does not continue for ever with a list of %s that goes round in a circle', async (of, read, list) => {
    const elbv2 = await anELBv2ThatSays(`<${list}/><NextMarker>again</NextMarker>`);
    await expect(read(elbv2)).rejects.toThrow(
      `cannot list ${of} of ELBv2: the token of a page that was there before.`,
    );
  });

  it.each<[string, (elbv2: ELBv2) => Promise<unknown>, string, string]>([
    ['a rule that lacks its actions', (elbv2) => elbv2.rulesOf('l'), 'Rules', 'actions'],
    ['a listener that lacks its actions', (elbv2) => elbv2.listener('l'), 'Listeners', 'actions'],
    ['tags of nothing', (elbv2) => elbv2.tagsOf('a'), 'TagDescriptions', 'the tags of '],
    ['tags that lack', (elbv2) => elbv2.tagsOfGroups(['a']), 'TagDescriptions', 'the tags of '],
    [
      'a target group that lacks who uses it',
      (elbv2) => elbv2.targetGroups(['a']),
      'TargetGroups',
      'the load balancers of a group',
    ],
  ])('does not take %s', async (_, read, list, lacks) => {
    const elbv2 = await anELBv2ThatSays(`<${list}><member/></${list}>`);
    await expect(read(elbv2)).rejects.toThrow(`cannot read the answer of ELBv2: ${lacks} not found`);
  });
});

describe('the ELBv2 of a region', () => {
  it('is kept as long as it is asked for, and not that of each region that anybody has ever written', () => {
    const regions = connectELBv2();
    const [used, made] = [regions.inRegion('eu-central-1'), regions.inRegion('eu-nowhere-1')];
    for (let index = 0; index < 99; index += 1) regions.inRegion(`eu-nowhere-1${index}`);
    expect(regions.inRegion('eu-central-1')).not.toBe(used);
    expect(regions.inRegion('eu-nowhere-1')).not.toBe(made);
    const again = regions.inRegion('eu-central-1');
    for (let index = 0; index < 200; index += 1) {
      regions.inRegion(`eu-nowhere-1${index}`);
      expect(regions.inRegion('eu-central-1')).toBe(again);
    }
  });
});
