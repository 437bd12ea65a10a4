import { expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { aWorld, forwardTo, groupArn, listenerArn, pathOf, ruleArn } from '../world/sample.ts';
import type { Rule } from './refusal.ts';
import { judge } from './rules.ts';

/* Builders of calls for tests, and the two tables in which rules are tried. */

/** A CreateRule call that AWS takes, changed. */
export const create = (change: Fields = {}): Fields => ({
  ListenerArn: listenerArn('web'),
  Priority: '20',
  Conditions: [pathOf('/*')],
  Actions: [forwardTo({ b: 100 })],
  ...change,
});

/** A ModifyRule call on a rule that there is. */
export const modify = (change: Fields): Fields => ({ RuleArn: ruleArn('web', 'a10'), ...change });

/** A forward action with a stickiness. */
export const sticky = (stickiness: Fields): Fields => ({
  Type: 'forward',
  ForwardConfig: {
    TargetGroups: [{ TargetGroupArn: groupArn('b') }],
    TargetGroupStickinessConfig: stickiness,
  },
});

const condition = (Field: string, config: Fields): Fields => ({ Field, ...config });
/** A host condition. */
export const hosts = (...Values: readonly string[]): Fields =>
  condition('host-header', { HostHeaderConfig: { Values } });
/** A method condition. */
export const methods = (...Values: readonly string[]): Fields =>
  condition('http-request-method', { HttpRequestMethodConfig: { Values } });
/** A source address condition. */
export const sources = (...Values: readonly string[]): Fields =>
  condition('source-ip', { SourceIpConfig: { Values } });
/** A header condition. */
export const header = (HttpHeaderName: string, ...Values: readonly string[]): Fields =>
  condition('http-header', { HttpHeaderConfig: { HttpHeaderName, Values } });
/** A query condition. */
export const queries = (...Values: readonly Fields[]): Fields =>
  condition('query-string', { QueryStringConfig: { Values } });
/** A CreateRule call with these conditions. */
export const when = (...Conditions: readonly Fields[]): Fields => create({ Conditions });
/** A CreateRule call with these actions. */
export const doing = (...Actions: readonly Fields[]): Fields => create({ Actions });
/** A fixed response. */
export const fixed: Fields = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '503' } };
/** An authentication. */
export const oidc: Fields = { Type: 'authenticate-oidc', AuthenticateOidcConfig: { ClientId: 'c' } };
/** A tag. */
export const tag = (Key: string, Value = ''): Fields => ({ Key, Value });
/** One tag more than AWS takes. */
export const manyTags = Array.from({ length: 51 }, (_, index) => tag(`k${index}`));

/** A call that AWS refuses: what is wrong with it, and which rule says so with which code. */
export type Row = readonly [sentence: string, action: string, parameters: Fields, rule: string, code: string];

/** The code of most refusals. */
export const invalid = 'ValidationError';

/** Tries calls that are refused, and that every rule of a table is among them. */
export function itRefuses(
  table: readonly Rule[],
  rows: readonly Row[],
  elsewhere: readonly string[] = [],
): void {
  it.each(rows)('refuses %s in %s', (_, action, parameters, rule, code) => {
    const verdict = judge({ action, parameters, world: aWorld() });
    expect({ rule: verdict?.rule, code: verdict?.refusal.code }).toEqual({ rule, code });
  });

  it('tries every rule of its table', () => {
    const tried = new Set([...rows.map(([, , , rule]) => rule), ...elsewhere]);
    expect(table.map((rule) => rule.name).filter((name) => !tried.has(name))).toEqual([]);
  });
}

/** Tries calls that are taken. */
export function itTakes(
  rows: readonly (readonly [sentence: string, action: string, parameters: Fields])[],
): void {
  it.each(rows)('takes %s in %s', (_, action, parameters) => {
    expect(judge({ action, parameters, world: aWorld() })).toBeUndefined();
  });
}
