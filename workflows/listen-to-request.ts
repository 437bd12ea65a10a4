import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { type RawValue, type UpdateDefinition, defaultPayloadConverter } from '@temporalio/common';
import { fieldsIn } from '../domain/model/fields.ts';
import type { RequestName, Stamp } from '../domain/model/request.ts';
import { requestSignals, requestUpdates, type Answer } from './messages.ts';

interface Listener {
  readonly description: string;
  /** Says why it makes no sense now; undefined when it does. */
  readonly refusal: (sent: RawValue | undefined) => string | undefined;
  readonly answer: (sent: RawValue | undefined) => string;
  readonly take: (sent: RawValue | undefined) => void;
}

/** Listens to one request, by the signal and by the update of its name. */
export function listenTo(name: RequestName, { description, refusal, answer, take }: Listener): void {
  setHandler(requestSignals[name], take, { description });
  setHandler<Answer, [RawValue?], UpdateDefinition<Answer, [RawValue?]>>(
    requestUpdates[name],
    (sent) => {
      const message = answer(sent);
      take(sent);
      return { message };
    },
    { description, validator: (sent) => refuse(refusal(sent)) },
  );
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'Refused');
}

/** Reads who asks for something and why; both may be left out. */
export function stampOf(request: RawValue | undefined): Stamp {
  const { by, reason } = fieldsIn(decode(request));
  return { by: textOr(by, 'an operator'), reason: textOr(reason, ''), at: Date.now() };
}

const textOr = (text: unknown, otherwise: string): string =>
  typeof text === 'string' && text !== '' ? text : otherwise;

/** What someone outside has sent; undefined when that is nothing, or nothing that can be read. */
export function decode(value: RawValue | undefined): unknown {
  if (value === undefined) return undefined;
  try {
    return defaultPayloadConverter.fromPayload<unknown>(value.payload);
  } catch {
    return undefined;
  }
}
