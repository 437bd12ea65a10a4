/**
 * Writes the few characters of a program that are beyond Latin-1 by their numbers, which means the same in strings and
 * patterns. V8 keeps a text with a single one of them in two bytes for each of its characters.
 */
export const inLatin1 = (code: string): string =>
  code.replaceAll(/\\?[\u0100-\uffff]/g, (found) =>
    // After a backslash a number would be read as something else.
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
