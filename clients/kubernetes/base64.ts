const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes base64 to text; undefined when it is none. Node.js itself passes over whatever is no base64. */
export function decodeBase64(encoded: string): string | undefined {
  const text = encoded.replace(/\s/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    return utf8.decode(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}
