import type { RawValue } from '@temporalio/common';
import { stagedAnswer, stagedRefusal, type StagedRequest } from '../domain/staged/requests.ts';
import { stagedRequestNames, type StagedRequestName, type StagedState } from '../domain/staged/state.ts';
import { decode } from './decode.ts';
import { listenTo, stampOf } from './listen-to-request.ts';

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
    listenTo(name, {
      description: descriptions[name],
      refusal: () => stagedRefusal(asked.state(), name),
      answer: () => stagedAnswer(name, asked.state()),
      take: (sent) => asked.take(name, requestOf(sent)),
    });
  }
}

function requestOf(sent: RawValue | undefined): StagedRequest {
  const said = decode(sent);
  const to: unknown = typeof said === 'object' && said !== null && 'to' in said ? said.to : undefined;
  return { ...stampOf(sent), ...(typeof to === 'string' ? { to } : {}) };
}
