import { uuid4 } from '@temporalio/workflow';
import type { Performable } from '../domain/model/decision.ts';
import * as attempt from '../domain/rollout/record/attempt.ts';
import type { Performed } from '../domain/rollout/record/performed.ts';
import { configs, elbv2Reads, measurements, objects, traffic } from './activities.ts';
import { carryOut, type Situation } from './carry-out.ts';
import { failureOf, isLost } from './failure.ts';
import type { Hands } from './hands.ts';
import { interruptible } from './interruptible.ts';

const hands: Hands = { objects, measurements, elbv2Reads, traffic, configs, newId: uuid4 };

/** Performs one decision by activities; what refuses is tried again later, and can be seen until then. */
export async function perform(decision: Performable, situation: Situation): Promise<Performed> {
  const { observed, run } = situation;
  try {
    const answer = await interruptible(() => carryOut(decision, situation, hands), {
      happened: () => attempt.isInterrupted(decision, run()),
      at: attempt.givenUpAt(decision, run()),
    });
    return attempt.performedOf(
      decision,
      answer.is === 'Answered' ? { is: 'CarriedOut', done: answer.value } : answer,
      observed,
    );
  } catch (error) {
    const is = isLost(error) ? 'Lost' : 'Refused';
    return attempt.performedOf(decision, { is, refusal: failureOf(error) }, observed);
  }
}
