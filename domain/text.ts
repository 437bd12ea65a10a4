/** How much is kept of what a server or a controller says: a whole page, say, of a proxy in between. It goes into statuses, histories and logs. */
export const LONGEST_SAID = 4096;

const MARK = '…';
const MARK_BYTES = 3;

/** Cuts a text to so many characters, never within one, and marks the cut. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = longest - MARK.length;
  // The first half of a character that is written as two would stand alone.
  return `${text.slice(0, isFirstHalf(text.charCodeAt(end - 1)) ? end - 1 : end)}${MARK}`;
}

/** Ends a text, such as what a person has written, as a sentence ends. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Cuts a text to so many bytes of UTF-8, never within a character, and marks the cut. */
export function cutToBytes(text: string, longest: number): string {
  let bytes = 0;
  let length = 0;
  let fits = 0;
  for (const character of text) {
    bytes += bytesOf(character.codePointAt(0) ?? 0);
    length += character.length;
    if (bytes > longest) return `${text.slice(0, fits)}${MARK}`;
    if (bytes <= longest - MARK_BYTES) fits = length;
  }
  return text;
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** Leaves out a character, or each that an expression fits, as often as it stands at the end of a text. */
export function withoutEnd(text: string, character: string | RegExp): string {
  const isIt = (at: string): boolean =>
    typeof character === 'string' ? at === character : character.test(at);
  let end = text.length;
  while (end > 0 && isIt(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Whether a text can be sent as a key, in a header; what refuses to send another one may quote it. */
export const isKey = (text: string): boolean => /^[\x20-\x7e]+$/.test(text);

/** Returns the message of what was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Names what there are several of for people. */
export const namesOf = (all: readonly { readonly name: string }[]): string =>
  all.map(({ name }) => name).join(', ');
