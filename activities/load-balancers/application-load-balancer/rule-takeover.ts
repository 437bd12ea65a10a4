import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { CellListenerRule } from '../../../crds/listener-rule.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { queriesOf } from '../../../domain/load-balancers/application-load-balancer/listener-rule.ts';
import { failure } from '../../failure.ts';
import { isRouting } from './rule-carried.ts';
import { conditionsIn, unsaidIn } from './rule-conditions.ts';

/** Keeps a rule that someone else has made from losing something when it is taken over: throws a `Conflict` where it does what Okra cannot say. */
export function refuseUnsayable(rule: Rule, wanted: Omit<CellListenerRule, 'forward'>): void {
  const { Actions = [], Conditions = [], RuleArn = '', Priority = '' } = rule;
  const what = `the rule to take over (priority ${Priority}, ${RuleArn})`;
  const routing = Actions.filter(isRouting).map(({ Type }) => Type ?? 'unknown');
  if (routing.length !== 1 || routing[0] !== 'forward') {
    throw failure(
      'Conflict',
      `Expected ${what} to forward to target groups, got ${routing.join(' and ') || 'no action that does'}. Make it forward to the target groups that serve, or choose another priority.`,
    );
  }
  const unsaid = unsaidIn(Conditions);
  if (unsaid.length > 0) {
    throw failure(
      'Conflict',
      `Expected ${what} to have conditions that listener.rule can say, got ${unsaid.join(' and ')}. Taken over, the rule would lose them. Change the rule so that it does without, or choose another priority.`,
    );
  }
  const got = conditionsIn(Conditions);
  const lost = [...regexesBeyond(wanted, got), ...queriesBeyond(wanted, got)];
  if (lost.length > 0) {
    throw failure(
      'Conflict',
      `Expected ${what} to have no regular expressions and no queryStringConditions but those of listener.rule, got ${lost.join(' and ')}. Taken over, the rule would lose them. Add them to listener.rule, or remove them from the rule.`,
    );
  }
}

type Matching = Omit<CellListenerRule, 'priority' | 'forward'>;

/** The conditions on the query string, where a rule has several, that what is wanted does not have, in words. */
function queriesBeyond(wanted: Matching, got: Matching): readonly string[] {
  if (got.queryStringConditions === undefined) return [];
  const known = new Set(queriesOf(wanted).map(canonical));
  return queriesOf({ queryStringConditions: got.queryStringConditions })
    .filter((pairs) => !known.has(canonical(pairs)))
    .map(
      (pairs) =>
        `queryStringConditions ${pairs.map(({ key, value }) => (key === '' ? value : `${key}=${value}`)).join(' or ')}`,
    );
}

/** The regular expressions of a rule that what is wanted does not have, in words. */
function regexesBeyond(wanted: Matching, got: Matching): readonly string[] {
  const beyond = (field: string, some: readonly string[] = [], others: readonly string[] = []): string[] =>
    others.filter((one) => !some.includes(one)).map((one) => `${field} ${one}`);
  const headers = Object.entries(wanted.headerRegexes ?? {});
  const regexesFor = (header: string): readonly string[] =>
    headers.filter(([name]) => name.toLowerCase() === header.toLowerCase()).flatMap(([, list]) => list);
  return [
    ...beyond('hostRegexes', wanted.hostRegexes, got.hostRegexes),
    ...beyond('pathRegexes', wanted.pathRegexes, got.pathRegexes),
    ...Object.entries(got.headerRegexes ?? {}).flatMap(([header, list]) =>
      beyond(`headerRegexes.${header}`, regexesFor(header), list),
    ),
  ];
}
