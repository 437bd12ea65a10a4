import fc from 'fast-check';
import { weekdays } from '../../crds/windows.ts';

/** A good value most of the time, and now and then one of those that are on or beyond an edge. */
const mostly = (good: fc.Arbitrary<unknown>, ...odd: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: good, weight: 60 }, { arbitrary: fc.constantFrom(...odd), weight: 1 });

/** An object of which some fields may be left out. */
const fields = (needed: Fields, optional: Fields = {}): fc.Arbitrary<Record<string, unknown>> =>
  fc.record({ ...needed, ...optional }, { requiredKeys: Object.keys(needed) });
type Fields = Record<string, fc.Arbitrary<unknown>>;

const few = (one: fc.Arbitrary<unknown>, minLength = 1, maxLength = 3): fc.Arbitrary<unknown[]> =>
  fc.array(one, { minLength, maxLength });

const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);
const word = fc.string({ minLength: 1, maxLength: 20 });
const long = 'x'.repeat(5000);

const part = (unit: string, most: number): fc.Arbitrary<string> =>
  fc.option(fc.nat(most)).map((amount) => (amount === null ? '' : `${amount}${unit}`));
const seconds = fc.oneof(fc.nat(31_536_000), fc.constantFrom(0, 31_536_000));
const durationText = fc.oneof(
  fc
    .tuple(part('h', 200), part('m', 600), part('s', 5000))
    .map((parts) => parts.join(''))
    .filter((text) => text !== ''),
  seconds.map(String),
  fc.constantFrom('8760h', '0s', '1h30m', '0h0m0s', '00000030'),
);
const oddDurations = ['', '5x', '8760h1s', '31536001', '1h 5m', '5s1h', '-5s', '1.5h', '000000030', -1, true];
const duration = mostly(durationText, 30, ...oddDurations);
const durationOrSeconds = mostly(fc.oneof(durationText, seconds), 31_536_001, 0.5, ...oddDurations);

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

const octet = fc.nat(255);
const blocks = fc.oneof(
  fc.tuple(octet, octet, octet, octet, fc.nat(32)).map(([a, b, c, d, mask]) => `${a}.${b}.${c}.${d}/${mask}`),
  fc.tuple(fc.ipV6(), fc.nat(128)).map(([address, mask]) => `${address}/${mask}`),
);
const value = mostly(fc.string({ minLength: 1, maxLength: 40 }), '', 'x'.repeat(129));
const conditions: Fields = {
  hosts: few(value, 1, 2),
  pathPatterns: few(value, 1, 2),
  methods: few(mostly(fc.constantFrom('GET', 'post', 'X-Y_Z'), 'GET POST', ''), 1, 2),
  sourceIPs: few(mostly(blocks, '10.0.0.1', '10.0.0.0/33', '10.0.0.256/8', '::/129', ''), 1, 2),
  headers: fc.dictionary(mostly(name, '', 'x'.repeat(41)).map(String), few(value, 1, 2), { maxKeys: 2 }),
  queryStrings: fc.dictionary(mostly(name, '', 'x'.repeat(129)).map(String), value, { maxKeys: 2 }),
};
const rule = fc.subarray(Object.keys(conditions), { minLength: 1, maxLength: 3 }).chain((keys) => {
  const chosen = keys.map((key) => [key, conditions[key] ?? fc.constant([])] as const);
  const priority = mostly(fc.integer({ min: 1, max: 50_000 }), 0, 50_001, '10', 1.5);
  return fields(
    { priority, ...Object.fromEntries(chosen) },
    { forward: mostly(fc.constant({}), 'a', { targetGroups: [] }) },
  );
});

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
const ingress = fields({
  type: mostly(fc.constant('AWSApplicationLoadBalancer'), 'Envoy', ''),
  awsApplicationLoadBalancer: loadBalancer,
});

const argument = mostly(
  fc.oneof(
    fields({ name: word, value: fc.string({ maxLength: 60 }) }),
    fields({ name: word, valueFrom: fields({ fieldRef: fields({ fieldPath: word }) }) }),
  ),
  { name: 'a' },
  { name: 'a', value: 'b', valueFrom: { fieldRef: { fieldPath: 'c' } } },
  { name: 'a', value: long },
  { name: 'a', value: 1 },
);
const analysis = fields(
  { templates: mostly(few(fields({ templateName: name }, { clusterScope: fc.boolean() })), [], [{}]) },
  { args: fc.array(argument, { maxLength: 3 }) },
);
const pause = fields({}, { duration: durationOrSeconds });
const weight = (least: number, most: number): fc.Arbitrary<unknown> =>
  mostly(fc.integer({ min: least, max: most }), -1, 0, 101, 0.5, '20', 1e9);
const listOf = (moving: Fields): fc.Arbitrary<unknown[]> =>
  fc.array(
    mostly(
      fc.oneof(fields(moving), fields({ pause }), fields({ analysis })),
      {},
      { setWeight: 20, pause: {} },
    ),
    { maxLength: 5 },
  );
const canarySteps = fc.oneof(
  listOf({ setWeight: weight(0, 100) }),
  listOf({ stepWeight: weight(1, 20) }),
  fc.constantFrom([{ setWeight: 20 }, { stepWeight: 20 }], [{ stepWeight: 60 }, { stepWeight: 41 }]),
);
const blueGreenSteps = mostly(
  fc
    .tuple(few(fc.oneof(fields({ pause }), fields({ analysis })), 0, 2), few(fields({ analysis }), 0, 2))
    .map(([before, after]) => [...before, { promote: {} }, ...after]),
  [],
  [{ pause: {} }],
  [{ promote: {} }, { promote: {} }],
);
const also: Fields = {
  bake: fields({ duration }, { analysis }),
  rollbackWindow: fields({ duration }),
};
const strategy = mostly(
  fc.oneof(
    fields({}, { type: fc.constant('Canary'), canary: fields({}, { steps: canarySteps }), ...also }),
    fields({ type: fc.constant('BlueGreen') }, { blueGreen: fields({}, { steps: blueGreenSteps }), ...also }),
  ),
  { type: 'Recreate' },
  { type: 'BlueGreen', canary: {} },
  { blueGreen: {} },
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
    new RegExp(`^v?${number}[.]${number}[.]${number}(-[0-9A-Za-z-]{1,6}){0,2}([+][0-9a-z]{1,6})?$`),
  ),
  'latest',
  'v2',
  '1.02.3',
  '1.2.3-',
  1.2,
  '',
);

/** Specs of whole Cells, built of every field that is documented: most of them good, some of them beyond an edge. */
export const wholeCells: fc.Arbitrary<unknown> = fields(
  { ingress },
  {
    replicas: mostly(fc.integer({ min: 1, max: 5 }), 0, 6, '1', 1.5),
    version,
    versionedBy: fields({ label: mostly(name, '', 'x'.repeat(318)) }),
    minHealthyTargets: mostly(fc.integer({ min: 1, max: 1000 }), 0, 1001),
    healthTimeout: duration,
    settle: duration,
    progressDeadline: duration,
    windows: mostly(few(window), []),
    updateStrategy: strategy,
  },
);
