/** Makes one line of a text that comes from a cluster: it moves no cursor, and begins no line of its own. */
export const inOneLine = (text: string): string => asLine(text).trim();

/** Makes one line of a text whose spaces at the beginning stay. */
export function asLine(text: string): string {
  const [first = '', ...others] = text.split(/[\r\n]/);
  const parts = [first.trimEnd(), ...others.map((line) => line.trim())];
  return plain(parts.filter((part) => part !== '').join(' ')).trimEnd();
}

// All that Unicode calls a control character, the ends of lines apart; what turns the direction of a text shows it in another order.
const CONTROL = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Leaves out what a terminal would take for a command, or would show as something else than it is. */
export const plain = (text: string): string => text.replaceAll(CONTROL, ' ');

/** Whether a text has no such characters. */
export const isPlain = (text: string): boolean => text.search(CONTROL) === -1;

/** Writes such characters by their numbers, as JSON and strings of YAML may have them. */
export const plainly = (text: string): string =>
  text.replaceAll(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
