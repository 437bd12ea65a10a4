import fc from 'fast-check';
import { few, fields, mostly, name, type Fields } from './arbitraries.ts';

const octet = fc.nat(255);
const blocks = fc.oneof(
  fc.tuple(octet, octet, octet, octet, fc.nat(32)).map(([a, b, c, d, mask]) => `${a}.${b}.${c}.${d}/${mask}`),
  fc.tuple(fc.ipV6(), fc.nat(128)).map(([address, mask]) => `${address}/${mask}`),
);
const value = mostly(fc.string({ minLength: 1, maxLength: 40 }), '', 'x'.repeat(129));
const conditions: Fields = {
  hosts: few(value, 1, 2),
  hostRegexes: few(value, 1, 2),
  pathPatterns: few(value, 1, 2),
  pathRegexes: few(value, 1, 2),
  methods: few(mostly(fc.constantFrom('GET', 'post', 'X-Y_Z'), 'GET POST', ''), 1, 2),
  sourceIPs: few(mostly(blocks, '10.0.0.1', '10.0.0.0/33', '10.0.0.256/8', '::/129', ''), 1, 2),
  headers: fc.dictionary(mostly(name, '', 'x'.repeat(41)).map(String), few(value, 1, 2), { maxKeys: 2 }),
  headerRegexes: fc.dictionary(name, few(value, 1, 2), { maxKeys: 2 }),
  queryStrings: fc.dictionary(mostly(name, '', 'x'.repeat(129)).map(String), value, { maxKeys: 2 }),
  queryStringConditions: few(
    fc.record({
      values: few(fields({ value }, { key: mostly(name, '', 'x'.repeat(129)).map(String) }), 1, 2),
    }),
    1,
    2,
  ),
};
const sticky = { durationSeconds: 600 };
const forward = mostly(
  fc.constant({}),
  'a',
  { targetGroups: [] },
  { targetGroupStickiness: sticky },
  { targetGroupStickiness: { durationSeconds: 604_801 } },
  { targetStickiness: { type: 'lb_cookie', ...sticky } },
  { targetGroupStickiness: sticky, targetStickiness: { type: 'app_cookie', cookieName: 'id', ...sticky } },
  {
    targetGroupStickiness: sticky,
    targetStickiness: { type: 'app_cookie', cookieName: 'AWSALB', ...sticky },
  },
);
/** A listener rule of a Cell. */
export const rule = fc.subarray(Object.keys(conditions), { minLength: 1, maxLength: 3 }).chain((keys) => {
  const chosen = keys.map((key) => [key, conditions[key] ?? fc.constant([])] as const);
  const priority = mostly(fc.integer({ min: 1, max: 50_000 }), 0, 50_001, '10', 1.5);
  return fields({ priority, ...Object.fromEntries(chosen) }, { forward });
});
