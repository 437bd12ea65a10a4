/** A rule in a list, by the name that docs/design.md shows. */
export type Named<TheRule> = readonly [name: string, rule: TheRule];

/** What a rule decides about what it is given; undefined where it has nothing to do. */
export type Rule<Given extends readonly unknown[], Result> = (...given: Given) => Result | undefined;

/** Rules in their order: the first that has something to do decides. */
export type Rules<Given extends readonly unknown[], Result> = readonly Named<Rule<Given, Result>>[];

/** Rules of which the last one always decides. */
export type CompleteRules<Given extends readonly unknown[], Result> = readonly [
  ...Named<Rule<Given, Result>>[],
  Named<(...given: Given) => Result>,
];

/** Decides by the first rule that has something to do. */
export function decideBy<Given extends readonly unknown[], Result>(
  rules: CompleteRules<Given, Result>,
  ...given: Given
): Result;
export function decideBy<Given extends readonly unknown[], Result>(
  rules: Rules<Given, Result>,
  ...given: Given
): Result | undefined;
export function decideBy<Given extends readonly unknown[], Result>(
  rules: Rules<Given, Result>,
  ...given: Given
): Result | undefined {
  for (const [, rule] of rules) {
    const decision = rule(...given);
    if (decision !== undefined) return decision;
  }
  return undefined;
}
