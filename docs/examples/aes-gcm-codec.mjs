// Encrypts all payloads that okrad gives to Temporal, with AES-256-GCM. It is named by OKRA_PAYLOAD_CODEC, and needs nothing but Node.js.
//
// OKRA_CODEC_KEYS names a folder with a file for each key: its name is the id of the key, its content 32 bytes in base64.
// OKRA_CODEC_KEY names the key that encrypts. What others have encrypted is read as long as their files are there.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ENCODING = 'binary/encrypted';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const folder = process.env.OKRA_CODEC_KEYS ?? '/etc/okra/codec-keys';
const current = process.env.OKRA_CODEC_KEY ?? '';
/** @type {Map<string, Buffer>} */
const known = new Map();

/** @param {string} id */
function keyOf(id) {
  // An id comes from what was encrypted, and must not lead out of the folder.
  if (!/^[\w-]{1,64}$/.test(id)) throw new Error('Expected the id of a key of letters, digits, - and _.');
  const key = known.get(id) ?? Buffer.from(readFileSync(join(folder, id), 'utf8'), 'base64');
  if (key.length !== 32) throw new Error(`Expected key ${id} to have 32 bytes, got ${key.length}.`);
  known.set(id, key);
  return key;
}

// A worker without its key must not start.
keyOf(current);

/** @param {string} text */
const bytes = (text) => new Uint8Array(Buffer.from(text));
/** @param {Uint8Array | null | undefined} some */
const base64 = (some) => Buffer.from(some ?? []).toString('base64');

/** @param {import('@temporalio/common').Payload} payload */
function encrypt({ metadata, data }) {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(current), nonce);
  const plain = JSON.stringify({
    metadata: Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    data: base64(data),
  });
  const encrypted = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return {
    metadata: { encoding: bytes(ENCODING), 'encryption-key-id': bytes(current) },
    data: new Uint8Array(encrypted),
  };
}

/** @param {import('@temporalio/common').Payload} payload */
function decrypt(payload) {
  const { encoding, 'encryption-key-id': id } = payload.metadata ?? {};
  // What operators send by the Temporal CLI may be plain.
  if (Buffer.from(encoding ?? []).toString() !== ENCODING) return payload;
  const all = Buffer.from(payload.data ?? []);
  const key = keyOf(Buffer.from(id ?? []).toString());
  const decipher = createDecipheriv('aes-256-gcm', key, all.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(all.subarray(-TAG_BYTES));
  const plain = Buffer.concat([
    decipher.update(all.subarray(NONCE_BYTES, -TAG_BYTES)),
    decipher.final(),
  ]).toString('utf8');
  /** @type {{ metadata: [string, string][], data: string }} */
  const { metadata, data } = JSON.parse(plain);
  return {
    metadata: Object.fromEntries(
      metadata.map(([name, value]) => [name, new Uint8Array(Buffer.from(value, 'base64'))]),
    ),
    data: new Uint8Array(Buffer.from(data, 'base64')),
  };
}

/** @type {import('@temporalio/common').PayloadCodec} */
export const payloadCodec = {
  encode: async (payloads) => payloads.map(encrypt),
  decode: async (payloads) => payloads.map(decrypt),
};
