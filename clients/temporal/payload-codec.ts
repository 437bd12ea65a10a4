import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataConverter, PayloadCodec } from '@temporalio/common';

/** What encodes all that Temporal is told, by the module that someone names; nothing when nobody does. */
export async function payloadConverter(path: string | undefined): Promise<DataConverter> {
  return path === undefined ? {} : { payloadCodecs: [await codecIn(path)] };
}

/** Loads the codec of a module; one that cannot be used ends the process rather than that plain text is sent. */
async function codecIn(path: string): Promise<PayloadCodec> {
  const loaded = (await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(`Expected OKRA_PAYLOAD_CODEC to name a module, got ${path}: ${said}`, { cause: error });
  })) as { readonly payloadCodec?: unknown };
  if (isCodec(loaded.payloadCodec)) return loaded.payloadCodec;
  throw new Error(
    `Expected ${path} to export payloadCodec with the functions encode and decode, got ${Object.keys(loaded).join(', ') || 'no export'}. See docs/operations.md.`,
  );
}

const isCodec = (value: unknown): value is PayloadCodec =>
  typeof value === 'object' &&
  value !== null &&
  ['encode', 'decode'].every((name) => typeof Reflect.get(value, name) === 'function');
