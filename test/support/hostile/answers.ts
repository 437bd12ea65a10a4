import fc from 'fast-check';
import { fields, mostly, odd, oddText, one, secret, SECRET, TOKEN } from './values.ts';

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');

const json = (value: unknown): string => JSON.stringify(value) ?? '';
/** JSON, mostly whole. */
const written = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: value.map(json) },
    { weight: 1, arbitrary: value.map((whole) => json(whole).slice(0, -2)) },
    { weight: 1, arbitrary: fc.oneof(oddText, one(TOKEN, `{"${TOKEN}`)) },
  );

const pem = (what: string): fc.Arbitrary<string> =>
  secret.map((text) => encodeBase64(`-----BEGIN ${what}-----\n${text}\n-----END ${what}-----\n`));

const tls = fields({
  insecure: one('').map(() => false),
  serverName: one('prod.example'),
  caData: pem('CERTIFICATE'),
  certData: pem('CERTIFICATE'),
  keyData: pem('RSA PRIVATE KEY'),
});
const logins = {
  bearerToken: secret,
  username: secret,
  password: secret,
  awsAuthConfig: fields({
    clusterName: one('prod'),
    region: one('eu-central-1'),
    roleARN: one('arn:aws:iam::111122223333:role/okra'),
    externalID: secret,
    profile: one(''),
  }),
  execProviderConfig: fields({
    command: one('aws'),
    args: fc.array(secret, { maxLength: 3 }),
    env: fc.dictionary(one('A', 'B'), secret, { maxKeys: 2 }),
    apiVersion: one('client.authentication.k8s.io/v1'),
  }),
};
/** One way to log in, as a person would write it, or any mixture. */
const config = fc.oneof(
  ...Object.entries(logins).map(([key, value]) => fields({ [key]: value, tlsClientConfig: tls })),
  fields({ username: logins.username, password: logins.password, tlsClientConfig: tls }, 30),
  fields({ ...logins, tlsClientConfig: tls }),
);

const encoded = (text: fc.Arbitrary<string>, others = oddText): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 15, arbitrary: text.map(encodeBase64) },
    { weight: 1, arbitrary: others.map(encodeBase64) },
    { weight: 1, arbitrary: others },
  );
// Messages say which cluster they are about.
const oddName = oddText.map((text) => text.replaceAll(SECRET, 'name'));

let version = 0;

/** A Secret as the API server gives it: of the right types, whatever the texts say. */
export const storedSecret = fc.record({
  metadata: fc.record({
    name: one('prod'),
    namespace: one('shop'),
    uid: one('uid'),
    resourceVersion: fc.constant('').map(() => String((version += 1))),
    labels: fc.oneof(
      { weight: 20, arbitrary: fc.constant({ 'argocd.argoproj.io/secret-type': 'cluster' }) },
      { weight: 1, arbitrary: fc.constant({}) },
    ),
    annotations: fc.record(
      {
        'okra.mumo.co/cluster-tags': written(fields({ version: one('1.0.0'), team: secret })),
        'okra.mumo.co/cluster-vpc': fc.oneof(one('vpc-0123456789abcdef0'), oddText),
      },
      { requiredKeys: [] },
    ),
  }),
  data: fc.record(
    {
      name: encoded(one('prod'), oddName),
      server: encoded(one('https://prod.example', 'https://prod.example:6443/', 'https://[::1]:99999')),
      config: encoded(written(config)),
      namespaces: encoded(one('', 'shop', 'shop, web')),
    },
    { requiredKeys: [] },
  ),
});

const labels = fc.dictionary(one('a/b', 'okra.mumo.co/version'), one('1.0.0', ''), { maxKeys: 2 });

const binding = fields(
  {
    metadata: fields(
      { name: one('web'), namespace: one('shop'), labels, deletionTimestamp: one('2026-01-01T00:00:00Z') },
      40,
    ),
    spec: fields({
      targetGroupARN: one(
        'arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web/0123456789abcdef',
        '',
      ),
    }),
  },
  20,
);

const bindingList = written(
  fields(
    {
      metadata: fields({ resourceVersion: one('7'), continue: one('', '') }, 20),
      items: fc.array(binding, { maxLength: 3 }),
    },
    20,
  ),
);

/** What a cluster answers for one kind of TargetGroupBinding, and for the other. */
export const bindingLists = fc.array(bindingList, { minLength: 2, maxLength: 3 });

/** What EKS answers to one question or the other: all that either answer has. */
export const eksAnswers = written(
  fields(
    {
      clusters: fc.array(mostly(one('prod', 'web'), 30), { maxLength: 3 }),
      nextToken: one('', 'more'),
      cluster: fields({
        arn: one('arn:aws:eks:eu-central-1:111122223333:cluster/prod'),
        status: one('ACTIVE', 'CREATING'),
        endpoint: one('https://prod.example'),
        certificateAuthority: fields({ data: one(TOKEN) }),
        tags: fc.dictionary(one('version', '__proto__'), one('1.0.0'), { maxKeys: 2 }),
        version: one('1.34'),
        resourcesVpcConfig: fields({ vpcId: one('vpc-0123456789abcdef0', '') }),
      }),
    },
    15,
  ),
);

const escaped = (text: string): string => text.replace(/[<&\p{Cc}]/gu, '');

/** XML as ELBv2 writes it: lists have members. */
function xml(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `<member>${xml(item)}</member>`).join('');
  if (typeof value !== 'object' || value === null) return escaped(String(value));
  return Object.entries(value)
    .map(([key, part]) => (/^\w+$/.test(key) ? `<${key}>${xml(part)}</${key}>` : ''))
    .join('');
}

const list = (of: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.array(of, { maxLength: 3 });
const pairs = list(fields({ Key: one('okra.mumo.co/owner', 'a'), Value: one('shop/web', '') }));
const actions = list(
  fields({
    Type: one('forward', 'fixed-response', 'authenticate-oidc'),
    Order: one('1', 'x'),
    TargetGroupArn: one('a'),
    AuthenticateOidcConfig: fields({ ClientSecret: one(TOKEN) }),
    ForwardConfig: fields({
      TargetGroups: list(fields({ TargetGroupArn: one('a', 'b'), Weight: one('0', '100', 'x') })),
      TargetGroupStickinessConfig: fields({ Enabled: one('true', 'maybe'), DurationSeconds: one('1', '') }),
    }),
  }),
);

/** What ELBv2 answers, to whatever it was asked: all that any answer has. */
const elbv2Result = fields(
  {
    Rules: list(
      fields({
        RuleArn: one('r'),
        Priority: one('1', 'default'),
        Actions: actions,
        Conditions: list(
          fields({ Field: one('path-pattern'), PathPatternConfig: fields({ Values: list(one('/a/*')) }) }),
        ),
      }),
    ),
    Listeners: list(fields({ ListenerArn: one('l'), Port: one('443', 'x'), DefaultActions: actions })),
    LoadBalancers: list(
      fields({
        LoadBalancerArn: one('b'),
        CreatedTime: one('2026-01-01T00:00:00Z', 'yesterday'),
        AvailabilityZones: list(fields({ ZoneName: one('a') })),
      }),
    ),
    TargetGroups: list(
      fields({ TargetGroupArn: one('a'), Port: one('80', ''), LoadBalancerArns: list(one('b')) }),
    ),
    TagDescriptions: list(fields({ ResourceArn: one('a', 'r'), Tags: pairs })),
    TargetHealthDescriptions: list(
      fields({
        Target: fields({ Id: one('i'), Port: one('80') }),
        TargetHealth: fields({ State: one('healthy') }),
      }),
    ),
    Attributes: pairs,
    NextMarker: one('', '', '', 'again'),
  },
  15,
);

/** An answer of ELBv2 in XML, mostly whole. */
export const elbv2Answer = fc
  .tuple(
    one(
      'DescribeRules',
      'DescribeListeners',
      'DescribeLoadBalancers',
      'DescribeTags',
      'DescribeTargetGroups',
      'DescribeTargetHealth',
    ),
    elbv2Result,
    fc.nat(20),
    oddText,
  )
  .map(([action, result, how, text]) => {
    const whole = `<${action}Response xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"><${action}Result>${xml(result)}</${action}Result></${action}Response>`;
    if (how === 0) return whole.slice(0, Math.floor(whole.length / 2));
    if (how === 1) return text;
    return how === 2 ? `<html><body>${TOKEN}</body></html>` : whole;
  });

/** An answer of AWS: mostly a good one, and otherwise a refusal, in which AWS may repeat what it was asked with. */
export const awsAnswer = (body: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 15, arbitrary: body.map((text) => ({ status: 200, type: '', body: text })) },
    {
      weight: 1,
      arbitrary: fc.record({
        status: fc.constantFrom(400, 401, 403, 404, 302),
        type: one(
          'AccessDeniedException',
          'ResourceNotFoundException',
          'SignatureDoesNotMatch',
          'RuleNotFound',
          'X',
        ),
        body: fc.oneof(
          one(
            `{"message":"The signature of x-amz-security-token: ${TOKEN} does not match"}`,
            `<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>Credential=${TOKEN}</Message></Error></ErrorResponse>`,
          ),
          one(TOKEN, `<p>${TOKEN}</p>`, `["${TOKEN}"`),
          odd.map(json),
          oddText,
        ),
      }),
    },
  );
