import { RawValue } from '@temporalio/common';

/** A payload that no worker can decode: a signal with it is to do no harm, and a workflow that starts with it never comes to an end. */
export const unreadable = RawValue.fromPayload({
  metadata: { encoding: Buffer.from('json/protobuf'), messageType: Buffer.from('no.such.Type') },
  data: Buffer.from('{"by": not JSON'),
});
