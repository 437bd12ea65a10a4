import { RE2JS } from 're2js';

// A row is matched after another by the same few patterns; a pattern is compiled once, and few are kept.
const MOST_KEPT = 64;
const kept = new Map<string, RE2JS>();

/** Whether a regular expression matches somewhere in a text: without backtracking, so that the time grows with the text alone. */
export function matchesExpression(text: string, pattern: string): boolean {
  const known = kept.get(pattern) ?? RE2JS.compile(pattern);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(pattern, known);
  return known.matcher(text).find();
}
