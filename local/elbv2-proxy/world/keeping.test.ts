import { describe, expect, it } from 'vitest';
import { type Fields, items } from '../protocol/fields.ts';
import { createKeeping } from './keeping.ts';
import { forwardTo, pathOf, ruleArn } from './sample.ts';

const RuleArn = ruleArn('secure', 'a10');
const tokens: Fields = { Type: 'jwt-validation', Order: '1', JwtValidationConfig: { Issuer: 'i' } };
const rewrite: Fields = { Type: 'url-rewrite', UrlRewriteConfig: { Rewrites: [] } };
const hosts: Fields = { Field: 'host-header', HostHeaderConfig: { RegexValues: ['^a$'] } };
const forward = (weight: number): Fields => ({ ...forwardTo({ s: weight }), Order: '2' });

/** An emulator with one rule, which keeps what it is told, behind a proxy that keeps the rest. */
function keeping() {
  let rule: Fields = { RuleArn };
  const heard: (readonly [string, Fields])[] = [];
  const ask = createKeeping().spoken((action, parameters) => {
    heard.push([action, parameters]);
    const { Actions = rule['Actions'], Conditions = rule['Conditions'] } = parameters;
    if (action !== 'DescribeRules') rule = { RuleArn, Actions, Conditions };
    return Promise.resolve({ ok: true, result: { Rules: [rule] } });
  });
  const tell = async (action: string, parameters: Fields = {}): Promise<Fields | undefined> => {
    const answer = await ask(action, { RuleArn, ...parameters });
    return answer.ok ? items(answer.result, 'Rules')[0] : undefined;
  };
  return { heard, tell, read: () => tell('DescribeRules') };
}

const whole = { Actions: [tokens, forward(100)], Conditions: [hosts, pathOf('/a')], Transforms: [rewrite] };

describe('what the emulator cannot keep of a rule', () => {
  it('is kept for it, and the emulator gets the rest', async () => {
    const { heard, tell, read } = keeping();
    const want = { RuleArn, ...whole };
    expect(await tell('CreateRule', whole)).toEqual(want);
    expect(await read()).toEqual(want);
    expect(heard[0]?.[1]).toEqual({ RuleArn, Actions: [forward(100)], Conditions: [pathOf('/a')] });
  });

  it('goes when the rule is told something else', async () => {
    const { tell, read } = keeping();
    await tell('CreateRule', whole);
    await tell('ModifyRule', { Actions: [forward(50)] });
    expect(await read()).toEqual({ RuleArn, ...whole, Actions: [forward(50)] });
    await tell('ModifyRule', { Conditions: [pathOf('/b')] });
    expect(await read()).toEqual({ ...whole, RuleArn, Actions: [forward(50)], Conditions: [pathOf('/b')] });
  });

  it('can be changed alone', async () => {
    const { heard, tell, read } = keeping();
    await tell('CreateRule', whole);
    await tell('ModifyRule', { ResetTransforms: 'true' });
    expect(await read()).not.toHaveProperty('Transforms');
    await tell('ModifyRule', { Transforms: [rewrite] });
    expect(await read()).toEqual({ RuleArn, ...whole });
    expect(heard.map(([action]) => action).filter((action) => action === 'ModifyRule')).toEqual([]);
  });

  it.each([
    ['a regular expression', hosts],
    ['a type of addresses', { Field: 'source-ip', SourceIpConfig: { IpAddressType: 'ipv6' } }],
  ])('is replaced by something that the emulator takes where there is only %s', async (_, condition) => {
    const { heard, tell, read } = keeping();
    const Conditions = [condition];
    expect(await tell('CreateRule', { ...whole, Conditions })).toMatchObject({ Conditions });
    expect(await read()).toMatchObject({ Conditions });
    expect(items(heard[0]?.[1] ?? {}, 'Conditions')).toEqual([{ Field: 'path-pattern', Values: ['/*'] }]);
  });
});
