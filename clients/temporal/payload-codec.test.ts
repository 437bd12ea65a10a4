import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { payloadConverter } from './temporal-connection.ts';

const example = join(import.meta.dirname, '../../docs/examples/aes-gcm-codec.mjs');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'okra-codec-'));
  await writeFile(join(folder, 'one'), randomBytes(32).toString('base64'));
  await writeFile(join(folder, 'two'), `${randomBytes(32).toString('base64')}\n`);
});
afterAll(() => rm(folder, { recursive: true }));

/** The codec of the documentation, with a key that encrypts. */
async function exampleWith(key: string): Promise<PayloadCodec> {
  vi.stubEnv('OKRA_CODEC_KEYS', folder);
  vi.stubEnv('OKRA_CODEC_KEY', key);
  vi.resetModules();
  try {
    // A copy for each key: a module is loaded once.
    const { payloadCodecs: [codec] = [] } = await payloadConverter(example);
    if (codec === undefined) throw new Error('Expected a codec, got none.');
    return codec;
  } finally {
    vi.unstubAllEnvs();
  }
}

const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

describe('the codec of the documentation', () => {
  it('encrypts what Temporal is told, with what is said about it, and decrypts it', async () => {
    const codec = await exampleWith('one');
    const plain = [payload({ listenerARN: 'arn:aws:a' }), payload(undefined), payload('')];
    const encoded = await codec.encode(plain);
    const sent = encoded.map(({ data }) => Buffer.from(data ?? []).toString('latin1')).join();
    expect(sent).not.toMatch(/arn:aws|json|listener/);
    expect(Buffer.from(encoded[0]?.metadata?.['encryption-key-id'] ?? []).toString()).toBe('one');
    const decoded = await codec.decode(encoded);
    expect(decoded.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([
      { listenerARN: 'arn:aws:a' },
      undefined,
      '',
    ]);
  });

  it('reads what is not encrypted, as operators send it', async () => {
    const codec = await exampleWith('one');
    expect(await codec.decode([payload('plain')])).toEqual([payload('plain')]);
  });

  it('takes nothing that was changed on the way', async () => {
    const codec = await exampleWith('one');
    const [encoded] = await codec.encode([payload('weight 20')]);
    const data = new Uint8Array(encoded?.data ?? []);
    data[20] = (data[20] ?? 0) ^ 1;
    await expect(codec.decode([{ ...encoded, data }])).rejects.toThrow(/authenticate/);
  });

  it('reads no key outside of its folder', async () => {
    const codec = await exampleWith('one');
    const [encoded] = await codec.encode([payload(1)]);
    const metadata = { ...encoded?.metadata, 'encryption-key-id': new Uint8Array(Buffer.from('../one')) };
    await expect(codec.decode([{ ...encoded, metadata }])).rejects.toThrow('Expected the id of a key');
  });
});

describe('a module with a codec', () => {
  it('is none unless it is named', async () => expect(await payloadConverter(undefined)).toEqual({}));

  it.each([
    ['exports no codec', 'export const codec = 1;', /codec: must have payloadCodec/],
    ['exports half of one', 'export const payloadCodec = { encode() {} };', /functions encode and decode/],
    ['is broken', 'export const = 1;', /cannot load the module .* of OKRA_PAYLOAD_CODEC/],
  ])('is refused when it %s', async (name, text, message) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.mjs`);
    await writeFile(path, text);
    await expect(payloadConverter(path)).rejects.toThrow(message);
  });

  it('is refused when it is missing', async () => {
    await expect(payloadConverter(join(folder, 'missing.mjs'))).rejects.toThrow('missing.mjs');
  });
});
