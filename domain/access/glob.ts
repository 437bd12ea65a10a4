/** Whether a character of a text may be this one of a pattern. */
type Same = (character: string | undefined, wanted: string | undefined) => boolean;

/** Whether a text is like a pattern, in which `*` stands for any characters. Takes time by the product of both lengths at most, whatever they are. */
export function isLike(text: string, pattern: string, same: Same = (one, other) => one === other): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let retry = 0;
  while (at < text.length) {
    if (pattern[from] === '*') {
      star = from;
      from += 1;
      retry = at;
    } else if (from < pattern.length && same(text[at], pattern[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      // The last star takes one more character.
      from = star + 1;
      retry += 1;
      at = retry;
    } else return false;
  }
  while (pattern[from] === '*') from += 1;
  return from === pattern.length;
}

const UNKNOWN = '?';
const isDigit = (character = ''): boolean => /^[0-9a-f]$/.test(character);

/** The same for a text in which each `?` stands for a digit that nobody knows yet: whether it may come to be like the pattern. */
export const mayBeLike = (text: string, pattern: string): boolean =>
  isLike(text, pattern, (one, wanted) => one === wanted || (one === UNKNOWN && isDigit(wanted)));
