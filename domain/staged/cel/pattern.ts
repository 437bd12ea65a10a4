import type { ASTNode } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';

const LONGEST_PATTERN = 256;

/** The regular expression of a call of `matches`, with the syntax of RE2, or why it is none. */
export type Pattern =
  | { readonly is: 'Pattern'; readonly expression: RE2JS }
  | { readonly is: 'Problem'; readonly problem: string };

/** Reads the argument of `matches`, which has to be a literal, so that it is compiled once and its cost is known. */
export function patternOf(argument: ASTNode | undefined): Pattern {
  if (argument?.op !== 'value' || typeof argument.args !== 'string') {
    return problem(
      'Expected the argument of matches to be a text in quotes, got an expression. Write it out.',
    );
  }
  const text = argument.args;
  if (text.length > LONGEST_PATTERN) {
    return problem(
      `Expected a pattern of at most ${LONGEST_PATTERN} characters, got ${text.length}. Shorten it.`,
    );
  }
  try {
    return { is: 'Pattern', expression: RE2JS.compile(text) };
  } catch {
    return problem(`Expected a regular expression with the syntax of RE2, got ${text}. Correct it.`);
  }
}

// RE2 goes over a text once, with at most all states of the pattern at each character.
const PER_STATE = 2;
const MOST_REPEATS = 1000;

/** What one character of a text costs at most to be matched; RE2 refuses more than a thousand repeats in all. */
export function patternCost(argument: ASTNode | undefined): number {
  if (argument?.op !== 'value' || typeof argument.args !== 'string') return Number.POSITIVE_INFINITY;
  const text = argument.args;
  const counts = [...text.matchAll(/\{(\d{0,4})(?:,(\d{0,4}))?\}/g)].map(([, least, most]) =>
    Math.max(Number(least), Number(most ?? 0), 1),
  );
  const [only = 1, ...others] = counts;
  const repeats = others.length === 0 ? only : MOST_REPEATS;
  return PER_STATE * (text.length + 1) * Math.min(repeats, MOST_REPEATS);
}

const problem = (text: string): Pattern => ({ is: 'Problem', problem: text });
