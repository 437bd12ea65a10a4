/** A text with its variables filled in, or why that is not possible. */
export type Rendered =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

/** Fills in what is between `{{` and `}}`, without the blanks around it; a key in it may have blanks of its own. */
export function fillInVariables(template: string, valueOf: (variable: string) => Rendered): Rendered {
  const parts: string[] = [];
  for (let rest = template; ;) {
    const begin = openingIn(rest);
    if (begin < 0) return { ok: true, value: [...parts, rest].join('') };
    const end = rest.indexOf('}}', begin);
    if (end < 0) return refuse(`invalid template ${quote(template)}: {{ is not closed. Add }}.`);
    const found = valueOf(rest.slice(begin + 2, end).trim());
    if (!found.ok) return found;
    parts.push(rest.slice(0, begin), found.value);
    rest = rest.slice(end + 2);
  }
}

/** Where a variable begins: Datadog puts a scope in braces of its own, as in `avg:errors{{{.Vars.labels.scope}}}`. */
function openingIn(text: string): number {
  let begin = text.indexOf('{{');
  while (begin >= 0 && text[begin + 2] === '{') begin += 1;
  return begin;
}

/** Says why a text cannot be filled in. */
export const refuse = (message: string): Rendered => ({ ok: false, message });

/** A text in quotes, as far as a person would read it. */
export const quote = (text: string): string =>
  JSON.stringify(text.length <= 100 ? text : `${text.slice(0, 99)}…`);

/** The one of some names that takes the fewest corrections, and how many. */
export function closest(
  name: string,
  names: readonly string[],
): { readonly name: string; readonly corrections: number } | undefined {
  const [best] = names
    .map((one) => ({ name: one, corrections: distance(one.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.corrections - b.corrections);
  return best;
}

/** How many letters have to be added, left out or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
