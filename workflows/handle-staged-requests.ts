import type { RawValue } from '@temporalio/common';
import { answerStagedRequest, refuseStagedRequest } from '../domain/staged/requests.ts';
import {
  stagedRequestNames,
  type StagedAim,
  type StagedRequest,
  type StagedRequestName,
  type StagedState,
} from '../domain/staged/state.ts';
import { fieldsIn } from '../domain/model/shape.ts';
import { decode, listenTo, stampOf } from './listen-to-request.ts';

const descriptions: Readonly<Record<StagedRequestName, string>> = {
  pause: 'Begins no stage until someone sends resume.',
  resume: 'Ends a pause.',
  promote: 'Finishes the stage, whether or not its condition is fulfilled; with "stage", only that one.',
  abort: 'Takes the newest stage back; with "to", all after the stage of that name, the newest first.',
  retry: 'Continues after an abort, or after a stage that was not fulfilled in time.',
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
      refusal: (sent) => refuseStagedRequest(asked.state(), name, aimIn(sent)),
      answer: (sent) => answerStagedRequest(name, asked.state(), aimIn(sent)),
      take: (sent) => asked.take(name, { ...stampOf(sent), ...aimIn(sent) }),
    });
  }
}

function aimIn(sent: RawValue | undefined): StagedAim {
  const { to, stage } = fieldsIn(decode(sent));
  return {
    ...(typeof to === 'string' ? { to } : {}),
    // What names none is not the one that it is at.
    ...(stage === undefined ? {} : { stage: typeof stage === 'string' ? stage : '' }),
  };
}
