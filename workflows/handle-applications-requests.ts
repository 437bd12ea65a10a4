import { requestKinds } from '../domain/model/request-kinds.ts';
import { requestNames, type TakenRequest } from '../domain/model/request.ts';
import { applicationsAnswer, applicationsRefusal } from '../domain/applications/requests.ts';
import type { ApplicationsState } from '../domain/applications/state.ts';
import { listenTo, stampOf } from './listen-to-request.ts';

/** The applications that are asked. */
export interface AskedApplications {
  readonly state: () => ApplicationsState;
  readonly take: (request: TakenRequest) => void;
}

/** Listens to what operators ask of a Cell with applications, by the messages of every Cell. */
export function handleApplicationsRequests(asked: AskedApplications): void {
  for (const name of requestNames) {
    listenTo(name, {
      description: requestKinds[name].description,
      refusal: () => applicationsRefusal(asked.state(), name),
      answer: () => applicationsAnswer(name, asked.state()),
      take: (sent) => asked.take({ action: name, ...stampOf(sent) }),
    });
  }
}
