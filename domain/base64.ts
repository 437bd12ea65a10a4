const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

// Workflows have neither Buffer nor atob; percent-encoding is what JavaScript itself knows of UTF-8.

/** Decodes base64 to text; undefined when it is none. */
export function decodeBase64(encoded: string): string | undefined {
  const text = encoded.replace(/\s/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const escapes: string[] = [];
  for (let at = 0; at < text.length; at += 4) {
    const group = text.slice(at, at + 4).replace(/=/g, '');
    const bits = Array.from(group, (digit) => DIGITS.indexOf(digit)).reduce((sum, six) => sum * 64 + six, 0);
    const whole = bits * 64 ** (4 - group.length);
    const bytes = [whole >> 16, (whole >> 8) & 255, whole & 255].slice(0, group.length - 1);
    escapes.push(...bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`));
  }
  try {
    return decodeURIComponent(escapes.join(''));
  } catch {
    return undefined;
  }
}

/** Encodes text in base64. */
export function encodeBase64(text: string): string {
  const bytes = bytesOf(text);
  let encoded = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = bytes.slice(at, at + 3);
    const whole = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    const digits = [18, 12, 6, 0].map((shift) => DIGITS.charAt((whole >> shift) & 63)).join('');
    const filled = second === undefined ? 2 : 4 - Number(third === undefined);
    encoded += digits.slice(0, filled).padEnd(4, '=');
  }
  return encoded;
}

function bytesOf(text: string): readonly number[] {
  const parts = encodeURIComponent(text).match(/%..|./g) ?? [];
  return parts.map((part) => (part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16)));
}
