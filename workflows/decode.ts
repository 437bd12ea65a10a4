import { defaultPayloadConverter, type RawValue } from '@temporalio/common';

/** What someone outside has sent; undefined when that is nothing, or nothing that can be read. */
export function decode(value: RawValue | undefined): unknown {
  if (value === undefined) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<unknown>(value.payload);
  } catch {
    return undefined;
  }
}
