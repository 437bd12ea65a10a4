/** Cuts a text to a number of UTF-16 code units, and shows that it was cut. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = longest - 1;
  const splits = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '');
  return `${text.slice(0, splits ? end - 1 : end)}…`;
}
