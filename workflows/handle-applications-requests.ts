import { requestKinds } from '../domain/model/request-kinds.ts';
import { requestNames, type RequestName, type TakenRequest } from '../domain/model/request.ts';
import { applicationsAnswer, applicationsRefusal } from '../domain/applications/requests.ts';
import type { ApplicationsState } from '../domain/applications/state.ts';
import { refuseApprovals } from './handle-approvals.ts';
import { listenTo, stampOf } from './listen-to-request.ts';

/** The applications that are asked. */
export interface AskedApplications {
  readonly state: () => ApplicationsState;
  readonly take: (request: TakenRequest<RequestName>) => void;
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
  refuseApprovals(
    'Expected a Cell with a rollout of its own, got one with applications, whose traffic moves without approval steps.',
  );
}
