import fc from 'fast-check';
import { weekdays } from '../../../crds/windows.ts';
import { duration, few, fields, long, mostly, name, word } from './arbitraries.ts';
import { rule } from './generate-rule.ts';
import { strategy } from './generate-strategy.ts';

const labels = mostly(
  fc.dictionary(name, fc.string({ maxLength: 20 }), { minKeys: 1, maxKeys: 3 }),
  {},
  { '': 'a' },
  { a: 'x'.repeat(64) },
  { ['x'.repeat(318)]: 'a' },
);
const withValues = fields({ key: name, operator: fc.constantFrom('In', 'NotIn'), values: few(word) });
const withoutValues = fields({ key: name, operator: fc.constantFrom('Exists', 'DoesNotExist') });
const expressions = mostly(
  few(fc.oneof(withValues, withoutValues)),
  [],
  [{ key: 'a', operator: 'In' }],
  [{ key: 'a', operator: 'Exists', values: ['b'] }],
  [{ key: 'a', operator: 'Like', values: ['b'] }],
);
const versionLabels = mostly(few(name), [], [''], Array(9).fill('a'));
const selector = fc.oneof(
  fields({ matchLabels: labels }, { matchExpressions: expressions, versionLabels }),
  fields({ matchExpressions: expressions }, { versionLabels }),
);

const listenerARN = mostly(
  fc.stringMatching(
    /^arn:aws(-cn|-us-gov)?:elasticloadbalancing:[a-z]{2}-[a-z]{4,9}-[1-9]:[0-9]{12}:listener\/app\/[A-Za-z0-9-]{1,32}\/[0-9a-f]{1,16}\/[0-9a-f]{1,16}$/,
  ),
  '',
  long,
  'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/web/0123456789abcdef',
  'arn:aws:elasticloadbalancing:ap-northeast-1:ACCOUNT:listener/app/demo/a/b',
);
const loadBalancer = fields({ listenerARN, listener: fields({ rule }), targetGroupSelector: selector });
const networkARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/net/demo/a/b';
const network = fields({ listenerARN: fc.constant(networkARN), targetGroupSelector: selector });
const application = fields({
  type: mostly(fc.constant('AWSApplicationLoadBalancer'), 'Envoy', ''),
  awsApplicationLoadBalancer: loadBalancer,
});
const ofNetwork = fields({
  type: mostly(fc.constant('AWSNetworkLoadBalancer'), 'AWSApplicationLoadBalancer'),
  awsNetworkLoadBalancer: network,
});
const byOtherName = fields({
  type: fc.constant('AWSNetworkLoadBalancer'),
  awsApplicationLoadBalancer: fc.oneof(network, loadBalancer),
});
const ingress = fc.oneof(
  { weight: 20, arbitrary: application },
  { weight: 1, arbitrary: ofNetwork },
  { weight: 1, arbitrary: byOtherName },
);

const two = (number: number): string => String(number).padStart(2, '0');
const time = mostly(
  fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${two(hour)}:${two(minute)}`),
  '24:00',
  '9:00',
  '09:60',
  '',
);
const date = mostly(
  fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  '2026-02-29',
  '2026-04-31',
  '2026-13-01',
  '0000-01-01',
  '2026-1-1',
);
const zone = mostly(
  fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone').filter((one) => one.includes('/'))),
  'Europe/berlin',
  'America/New_york',
  'Europe/Atlantis',
  'utc',
  '+01:00',
  '',
);
const window = fields(
  { start: time, end: time },
  {
    timeZone: zone,
    days: mostly(fc.subarray([...weekdays], { minLength: 1 }), [], ['Day'], ['Mon', 'Mon']),
    excludeDates: fc.array(date, { maxLength: 3 }),
  },
);

const number = '(0|[1-9][0-9]{0,2})';
const version = mostly(
  fc.stringMatching(
    new RegExp(`^v?${number}([.]${number}){0,2}(-[0-9A-Za-z-]{1,6}){0,2}([+][0-9a-z]{1,6})?$`),
  ),
  'latest',
  'v2.',
  '1.02.3',
  '1.2.3-',
  1.2,
  '',
);

/** Specs of whole Cells, built of every field that is documented: most of them good, some of them beyond an edge. */
export const wholeCells: fc.Arbitrary<unknown> = fields(
  { ingress },
  {
    replicas: mostly(fc.integer({ min: 1, max: 2 }), 0, 3, '1', 1.5),
    version,
    versionedBy: fields({ label: mostly(name, '', 'x'.repeat(318)) }),
    minHealthyTargets: mostly(fc.integer({ min: 1, max: 1000 }), 0, 1001),
    healthTimeout: duration,
    settle: duration,
    deletionPolicy: mostly(fc.constantFrom('Retain', 'Delete'), 'Orphan'),
    progressDeadline: duration,
    windows: mostly(few(window), []),
    updateStrategy: strategy,
  },
);
