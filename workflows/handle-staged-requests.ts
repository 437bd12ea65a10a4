import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import type { RawValue, UpdateDefinition } from '@temporalio/common';
import { stagedAnswer, stagedRefusal, type StagedRequest } from '../domain/staged/requests.ts';
import { stagedRequestNames, type StagedRequestName, type StagedState } from '../domain/staged/state.ts';
import { decode } from './decode.ts';
import { stampOf } from './handle-requests.ts';
import { requestSignals, requestUpdates, type Answer } from './messages.ts';

const descriptions: Readonly<Record<StagedRequestName, string>> = {
  pause: 'Begins no stage until it is resumed.',
  resume: 'Ends a pause.',
  promote: 'Finishes the stage, whether or not it is fulfilled.',
  abort: 'Takes the newest stage back; with "to", all after the stage of that name, the newest first.',
  retry: 'Goes on with what was aborted, or was not fulfilled in time.',
};

/** The StagedBindingPolicy that is asked. */
export interface AskedStaged {
  readonly state: () => StagedState;
  readonly take: (name: StagedRequestName, request: StagedRequest) => void;
}

/** Listens to what operators ask, by signal and by update. */
export function handleStagedRequests(asked: AskedStaged): void {
  for (const name of stagedRequestNames) {
    const description = descriptions[name];
    setHandler(requestSignals[name], (sent) => asked.take(name, requestOf(sent)), { description });
    setHandler<Answer, [RawValue?], UpdateDefinition<Answer, [RawValue?]>>(
      requestUpdates[name],
      (sent) => {
        const message = stagedAnswer(name, asked.state());
        asked.take(name, requestOf(sent));
        return { message };
      },
      {
        description,
        validator: () => {
          const problem = stagedRefusal(asked.state(), name);
          if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'Refused');
        },
      },
    );
  }
}

function requestOf(sent: RawValue | undefined): StagedRequest {
  const said = decode(sent);
  const to: unknown = typeof said === 'object' && said !== null && 'to' in said ? said.to : undefined;
  return { ...stampOf(sent), ...(typeof to === 'string' ? { to } : {}) };
}
