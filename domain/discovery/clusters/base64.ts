const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit.charCodeAt(0), value]));
const ESCAPES = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).padStart(2, '0')}`);

// Workflows have neither Buffer nor atob; percent-encoding is what JavaScript itself knows of UTF-8. The certificates in
// the secrets of many clusters are long: nothing is made for each digit.

/** Decodes base64 to text; undefined when it is none. */
export function decodeBase64(encoded: string): string | undefined {
  const text = encoded.replace(/\s/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const digits = text.replace(/=/g, '');
  let [bits, count, escaped] = [0, 0, ''];
  for (let at = 0; at < digits.length; at += 1) {
    bits = ((bits << 6) | (VALUES.get(digits.charCodeAt(at)) ?? 0)) & 0xfff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    escaped += ESCAPES[(bits >> count) & 255] ?? '';
  }
  try {
    return decodeURIComponent(escaped);
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
  const parts = encodeURIComponent(text.toWellFormed()).match(/%..|./g) ?? [];
  return parts.map((part) => (part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16)));
}
