/** An object that a user might write, and whether it may be accepted. */
export interface Sample {
  readonly name: string;
  readonly kind: 'Cell' | 'AWSTargetGroup' | 'AWSApplicationLoadBalancerConfig';
  readonly spec: unknown;
  /** What a refusal must mention; undefined when the object is good. */
  readonly refusal?: string;
}

const ARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333';
const listenerARN = `${ARN}:listener/app/demo/0123456789abcdef/0123456789abcdef`;
const groupARN = (name: string): string => `${ARN}:targetgroup/${name}/0123456789abcdef`;
const rule = { priority: 10, hosts: ['example.com'], forward: {} };

function cell(spec: object = {}, alb: object = {}): object {
  return {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN,
        listener: { rule },
        targetGroupSelector: { matchLabels: { role: 'web' } },
        ...alb,
      },
    },
    ...spec,
  };
}
const steps = (...list: unknown[]): object =>
  cell({ updateStrategy: { type: 'Canary', canary: { steps: list } } });
const withRule = (changed: object): object => cell({}, { listener: { rule: changed } });
const selecting = (targetGroupSelector: object): object => cell({}, { targetGroupSelector });
const analysis = (args: unknown[], templates: unknown[] = [{ templateName: 'success-rate' }]): object =>
  steps({ analysis: { templates, args } });

const goodCells: Readonly<Record<string, unknown>> = {
  'the smallest Cell': cell(),
  'the example of the documentation': cell({
    replicas: 2,
    updateStrategy: {
      type: 'Canary',
      canary: {
        steps: [
          { setWeight: 20 },
          {
            analysis: {
              args: [{ name: 'service-name', value: 'exampleapp' }],
              templates: [{ templateName: 'success-rate' }],
            },
          },
          { pause: { duration: '5s' } },
          { setWeight: 40 },
        ],
      },
    },
  }),
  'no steps': steps(),
  'a strategy without a block': cell({ updateStrategy: { type: 'Canary' } }),
  'the weights 0 and 100': steps({ setWeight: 0 }, { setWeight: 100 }),
  'weights by increment': steps({ stepWeight: 10 }, { pause: { duration: '10m' } }, { stepWeight: 90 }),
  'a pause in seconds': steps({ pause: { duration: 30 } }),
  'a pause in seconds as text': steps({ pause: { duration: '30' } }),
  'a pause in hours and minutes': steps({ pause: { duration: '1h30m' } }),
  'a pause without an end': steps({ pause: {} }),
  'an argument by field': analysis([
    { name: 'v', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } },
  ]),
  'two templates, one of the cluster': analysis(
    [],
    [{ templateName: 'a' }, { templateName: 'b', clusterScope: true }],
  ),
  'an analysis without arguments': steps({ analysis: { templates: [{ templateName: 'a' }] } }),
  'a pin': cell({ version: '1.2.3' }),
  'a pin with a v and a pre-release': cell({ version: 'v1.2.3-rc.1+build.5' }),
  'five replicas': cell({ replicas: 5 }),
  'a label for the version': cell({ versionedBy: { label: 'example.com/version' } }),
  'labels for the version': selecting({ matchLabels: { role: 'web' }, versionLabels: ['a/b', 'c'] }),
  'a selector by expressions': selecting({
    matchExpressions: [{ key: 'role', operator: 'In', values: ['web'] }],
  }),
  'a selector by existence': selecting({ matchExpressions: [{ key: 'role', operator: 'Exists' }] }),
  'more healthy targets': cell({ minHealthyTargets: 3, healthTimeout: '1h' }),
  'all kinds of conditions but one': withRule({
    priority: 12,
    hosts: ['a.com'],
    pathPatterns: ['/api/*'],
    methods: ['get'],
    sourceIPs: ['10.0.0.0/8'],
    headers: { 'x-env': ['canary'] },
  }),
  'a query string': withRule({ priority: 12, queryStrings: { v: '2' } }),
  'five condition values': withRule({ priority: 1, hosts: ['a', 'b', 'c', 'd', 'e'] }),
  'the highest priority': withRule({ priority: 50_000, hosts: ['a.com'] }),
  'another partition': cell({}, { listenerARN: listenerARN.replace('arn:aws:', 'arn:aws-cn:') }),
};

const badCells: readonly (readonly [string, unknown, string])[] = [
  ['a weight above 100', steps({ setWeight: 120 }), 'setWeight'],
  ['a weight below 0', steps({ setWeight: -1 }), 'setWeight'],
  ['half a weight', steps({ setWeight: 0.5 }), 'setWeight'],
  ['a weight as text', steps({ setWeight: '20' }), 'setWeight'],
  ['an increment of 0', steps({ stepWeight: 0 }), 'stepWeight'],
  ['two kinds in one step', steps({ setWeight: 20, pause: {} }), 'steps'],
  ['no kind in a step', steps({}), 'steps'],
  ['both kinds of weights', steps({ setWeight: 20 }, { stepWeight: 20 }), 'setWeight or stepWeight'],
  ['increments above 100 in sum', steps({ stepWeight: 60 }, { stepWeight: 60 }), 'stepWeights'],
  ['a duration with an unknown unit', steps({ pause: { duration: '5x' } }), 'duration'],
  ['a duration in the wrong order', steps({ pause: { duration: '5s1h' } }), 'duration'],
  ['a negative duration', steps({ pause: { duration: -5 } }), 'duration'],
  ['an unknown health timeout', cell({ healthTimeout: 'soon' }), 'duration'],
  ['no condition', withRule({ priority: 10 }), 'condition'],
  ['no priority', withRule({ hosts: ['a.com'] }), 'priority'],
  ['the priority 0', withRule({ priority: 0, hosts: ['a.com'] }), 'priority'],
  ['a priority above 50000', withRule({ priority: 50_001, hosts: ['a.com'] }), 'priority'],
  [
    'six condition values',
    withRule({ priority: 1, hosts: ['a', 'b', 'c'], pathPatterns: ['/d', '/e', '/f'] }),
    'condition values',
  ],
  ['six hosts', withRule({ priority: 1, hosts: ['a', 'b', 'c', 'd', 'e', 'f'] }), 'hosts'],
  ['an address without a mask', withRule({ priority: 1, sourceIPs: ['10.0.0.1'] }), 'sourceIPs'],
  ['a method with a blank', withRule({ priority: 1, methods: ['GET POST'] }), 'methods'],
  ['an unknown load balancer', { ingress: { type: 'Envoy' } }, 'ingress.type'],
  ['a load balancer that is not served yet', { ingress: { type: 'AWSNetworkLoadBalancer' } }, 'ingress.type'],
  [
    'no block for the load balancer',
    { ingress: { type: 'AWSApplicationLoadBalancer' } },
    'awsApplicationLoadBalancer',
  ],
  ['no ingress', {}, 'ingress'],
  ['an unknown strategy', cell({ updateStrategy: { type: 'Recreate' } }), 'type'],
  ['a listener that is none', cell({}, { listenerARN: groupARN('web') }), 'listener'],
  [
    'a placeholder for the account',
    cell({}, { listenerARN: listenerARN.replace('111122223333', 'ACCOUNT') }),
    'listener',
  ],
  ['no replicas', cell({ replicas: 0 }), 'replicas'],
  ['six replicas', cell({ replicas: 6 }), 'replicas'],
  ['a version that is none', cell({ version: 'latest' }), 'version'],
  ['a short version', cell({ version: 'v2' }), 'version'],
  ['an empty selector', selecting({}), 'targetGroupSelector'],
  [
    'an operator without values',
    selecting({ matchExpressions: [{ key: 'role', operator: 'In' }] }),
    'values',
  ],
  [
    'an operator with too many values',
    selecting({ matchExpressions: [{ key: 'role', operator: 'Exists', values: ['a'] }] }),
    'values',
  ],
  ['an argument without a value', analysis([{ name: 'a' }]), 'value'],
  [
    'an argument with two values',
    analysis([{ name: 'a', value: 'b', valueFrom: { fieldRef: { fieldPath: 'c' } } }]),
    'value',
  ],
  ['an analysis without templates', analysis([], []), 'templates'],
  ['no healthy target', cell({ minHealthyTargets: 0 }), 'minHealthyTargets'],
];

const config = (targetGroups: unknown[], changed: object = {}): object => ({
  listenerARN,
  listener: { rule: { priority: 20, hosts: ['x.com'], forward: { targetGroups }, ...changed } },
});
const group = (name: string, weight: unknown): object => ({ name, arn: groupARN(name), weight });

const configs: readonly (readonly [string, unknown, string?])[] = [
  ['two groups', config([group('prev', 40), group('next', 60)])],
  ['one group', config([group('only', 1)])],
  ['the highest weight', config([group('a', 999), group('b', 0)])],
  ['a weight of 1000', config([group('a', 1000)]), 'weight'],
  ['no weight', config([{ name: 'a', arn: groupARN('a') }]), 'weight'],
  ['weights of 0 alone', config([group('a', 0), group('b', 0)]), 'weight above 0'],
  ['the same group twice', config([group('a', 1), { ...group('b', 1), arn: groupARN('a') }]), 'targetGroups'],
  ['six groups', config(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => group(name, 1))), 'targetGroups'],
  ['no groups', config([]), 'targetGroups'],
  ['no forward', { listenerARN, listener: { rule: { priority: 1, hosts: ['a'] } } }, 'forward'],
];

const groups: readonly (readonly [string, unknown, string?])[] = [
  ['an ARN', { arn: groupARN('web') }],
  ['an ARN of a government region', { arn: groupARN('web').replace('arn:aws:', 'arn:aws-us-gov:') }],
  ['no ARN', {}, 'arn'],
  ['an ARN of something else', { arn: listenerARN }, 'target group'],
  [
    'a placeholder for the region',
    { arn: groupARN('web').replace('ap-northeast-1', 'REGION') },
    'target group',
  ],
  ['an ARN without an id', { arn: `${ARN}:targetgroup/web` }, 'target group'],
];

const sample = (kind: Sample['kind'], name: string, spec: unknown, refusal?: string): Sample => ({
  kind,
  name,
  spec,
  ...(refusal === undefined ? {} : { refusal }),
});

/** Objects of every kind, good and bad. */
export const samples: readonly Sample[] = [
  ...Object.entries(goodCells).map(([name, spec]) => sample('Cell', name, spec)),
  ...badCells.map(([name, spec, refusal]) => sample('Cell', name, spec, refusal)),
  ...configs.map(([name, spec, refusal]) => sample('AWSApplicationLoadBalancerConfig', name, spec, refusal)),
  ...groups.map(([name, spec, refusal]) => sample('AWSTargetGroup', name, spec, refusal)),
];
