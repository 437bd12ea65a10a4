import { describe, expect, it } from 'vitest';
import { everyText, items, text, texts, withoutSecrets } from './fields.ts';
import { decodeQuery, encodeQuery } from './query.ts';
import { credentialOf, elbRequestOf } from './request.ts';
import { decode, decodeAnswer, decodeError, encodeAnswer, encodeError } from './xml.ts';

const extra = {
  entry: [
    { key: 'display', value: 'page' },
    { key: 'prompt', value: 'login' },
  ],
};
const nested = {
  ListenerArn: 'arn:x',
  Conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/a&b', "/*?'~+ü"] } }],
  Actions: [
    { AuthenticateOidcConfig: { AuthenticationRequestExtraParams: extra } },
    { ForwardConfig: { TargetGroups: [{ TargetGroupArn: 'a', Weight: '0' }, { TargetGroupArn: 'b' }] } },
  ],
};

describe('the query form', () => {
  it('is read and written without loss', () => {
    expect(decodeQuery(new URLSearchParams(encodeQuery(nested)))).toEqual(nested);
  });

  it('keeps more than nine members in order', () => {
    const Values = Array.from({ length: 12 }, (_, index) => String(index));
    expect(decodeQuery(new URLSearchParams(encodeQuery({ Values })))).toEqual({ Values });
  });

  it('reads an empty list as no entries', () => {
    const fields = decodeQuery(new URLSearchParams('Conditions='));
    expect([items(fields, 'Conditions'), texts(fields, 'Conditions'), text(fields, 'Conditions')]).toEqual([
      [],
      [],
      '',
    ]);
  });

  it('does not let a parameter name reach a prototype', () => {
    decodeQuery(new URLSearchParams('__proto__.polluted=yes&constructor.prototype.polluted=yes'));
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('the XML form', () => {
  const result = { Rules: [nested], NextMarker: '<&>"', Tags: [{ Key: 'one' }] };

  it('is written and read without loss', () => {
    expect(decodeAnswer('DescribeRules', encodeAnswer('DescribeRules', result, 'r-1'))).toEqual(result);
  });

  it('reads one member as a list of one, and none as an empty list', () => {
    const answer = decode('<A><Tags><member><Key>k</Key></member></Tags><Rules/></A>');
    const root = answer['A'];
    expect(typeof root === 'object' && 'Tags' in root && [items(root, 'Tags'), items(root, 'Rules')]).toEqual(
      [[{ Key: 'k' }], []],
    );
  });

  it('gives errors back as they were written', () => {
    const error = { code: 'PriorityInUse', message: "Priority '1' <is> taken", status: 400 };
    expect(decodeError(encodeError(error, 'r-1'), 400)).toEqual(error);
  });

  it('reads the other shape of an error', () => {
    const xml = '<Response><Errors><Error><Code>X</Code><Message>y</Message></Error></Errors></Response>';
    expect(decodeError(xml, 400)).toEqual({ code: 'X', message: 'y', status: 400 });
  });

  it('keeps what is no XML as the message of an unknown error', () => {
    expect(decodeError('Internal Server Error', 500)).toEqual({
      code: 'Unknown',
      message: 'Internal Server Error',
      status: 500,
    });
  });
});

const scope =
  'AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/elasticloadbalancing/aws4_request, SignedHeaders=host';

const call = (authorization: string | undefined, body: string) =>
  elbRequestOf({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(authorization && { authorization }) },
    body: Buffer.from(body),
  });

describe('a request', () => {
  const form = 'Action=DescribeRules&Version=2015-12-01&ListenerArn=a';

  it('tells key, region and service', () => {
    expect(credentialOf(scope)).toEqual({
      accessKey: 'AKID',
      region: 'eu-west-1',
      service: 'elasticloadbalancing',
    });
  });

  it('is of ELBv2 by its version and scope', () => {
    expect(call(scope, form)).toMatchObject({ action: 'DescribeRules', parameters: { ListenerArn: 'a' } });
  });

  it.each([
    ['another service', scope.replace('elasticloadbalancing', 'sts'), form],
    ['the API of classic load balancers', scope, form.replace('2015-12-01', '2012-06-01')],
    ['a body without action', scope, 'Version=2015-12-01'],
  ])('is not of ELBv2 when it is for %s', (_, authorization, body) => {
    expect(call(authorization, body)).toBeUndefined();
  });

  it('without signature is of ELBv2, to be refused', () => {
    expect(call(undefined, form)?.credential).toBeUndefined();
    expect(call(undefined, form)?.action).toBe('DescribeRules');
  });
});

describe('fields', () => {
  it('list every text in them', () => {
    expect(everyText(nested)).toEqual(
      "arn:x path-pattern /a&b /*?'~+ü display page prompt login a 0 b".split(' '),
    );
  });

  it('hide secrets at any depth', () => {
    const shown = withoutSecrets({
      Actions: [{ AuthenticateOidcConfig: { ClientId: 'c', ClientSecret: 's3cret' } }],
    });
    expect(JSON.stringify(shown)).not.toContain('s3cret');
    expect(JSON.stringify(shown)).toContain('"ClientId":"c"');
  });
});
