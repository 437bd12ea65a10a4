import { requestKinds } from '../domain/model/request-kinds.ts';
import { answerTo } from '../domain/model/requests.ts';
import { notAsSeen, seenIn } from '../domain/model/seen.ts';
import { requestNames, type RequestName, type Stamp } from '../domain/model/request.ts';
import { refusalOf, type Run } from '../domain/rollout/record/run.ts';
import { decode, listenTo, stampOf } from './listen-to-request.ts';

/** The rollout that is asked. */
export interface Asked {
  readonly run: () => Run;
  readonly take: (name: RequestName, stamp: Stamp) => void;
}

/** Listens to what operators ask of a rollout, by signal and by update. */
export function handleRequests(asked: Asked): void {
  for (const name of requestNames) {
    listenTo(name, {
      description: requestKinds[name].description,
      refusal: (sent) =>
        refusalOf(asked.run(), name) ?? notAsSeen(asked.run().state, name, seenIn(decode(sent))),
      answer: () => answerTo(name, asked.run().state),
      take: (sent) => asked.take(name, stampOf(sent)),
    });
  }
}
