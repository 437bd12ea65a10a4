import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import type { RawValue, UpdateDefinition } from '@temporalio/common';
import { requestKinds } from '../domain/model/request-kinds.ts';
import { answerTo, refusal } from '../domain/model/requests.ts';
import { requestNames, type RequestName } from '../domain/model/request.ts';
import type { RolloutState } from '../domain/model/state.ts';
import type { Stamp } from '../domain/model/request.ts';
import { decode } from './decode.ts';
import { requestSignals, requestUpdates, type Answer } from './messages.ts';

/** The rollout that is asked. */
export interface Asked {
  readonly state: () => RolloutState;
  readonly take: (name: RequestName, stamp: Stamp) => void;
}

/** Listens to what operators ask, by signal and by update. */
export function handleRequests(asked: Asked): void {
  for (const name of requestNames) {
    const { description } = requestKinds[name];
    setHandler(requestSignals[name], (request) => asked.take(name, stampOf(request)), { description });
    setHandler<Answer, [RawValue?], UpdateDefinition<Answer, [RawValue?]>>(
      requestUpdates[name],
      (request) => {
        const message = answerTo(name, asked.state());
        asked.take(name, stampOf(request));
        return { message };
      },
      { description, validator: () => refuse(refusal(asked.state(), name)) },
    );
  }
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'Refused');
}

/** Reads who asks for something and why; both may be left out. */
export /** Reads who asks for something and why; both may be left out. */
function stampOf(request: RawValue | undefined): Stamp {
  const sent = decode(request);
  const { by, reason } = isObject(sent) ? sent : { by: undefined, reason: undefined };
  return { by: textOr(by, 'an operator'), reason: textOr(reason, ''), at: Date.now() };
}

const isObject = (value: unknown): value is { readonly by?: unknown; readonly reason?: unknown } =>
  typeof value === 'object' && value !== null;

const textOr = (text: unknown, otherwise: string): string =>
  typeof text === 'string' && text !== '' ? text : otherwise;
