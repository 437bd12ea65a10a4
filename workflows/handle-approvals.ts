import { HandlerUnfinishedPolicy, type RawValue, type UpdateDefinition } from '@temporalio/common';
import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import type { ObjectKey } from '../domain/model/ids.ts';
import type { RolloutState } from '../domain/model/state.ts';
import {
  claimFrom,
  countApproval,
  refusalToApprove,
  refusedApproval,
  standOf,
  type Claim,
} from '../domain/rollout/record/approval.ts';
import { objects } from './activities.ts';
import { decode } from './listen-to-request.ts';
import { failureOf } from './failure.ts';
import { requestSignals, requestUpdates, type Answer } from './messages.ts';

const MOST_AT_ONCE = 20;

const description =
  'Approves the step that waits for approval, in the name of the one who is given as by, with groups.';
const options = { description, unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON };

/** Listens to those who approve, by signal and by update: what they say of themselves is looked at by Kubernetes before it counts. */
export function handleApprovals(asked: {
  readonly key: ObjectKey;
  readonly state: () => RolloutState;
  readonly take: (change: (state: RolloutState) => RolloutState) => void;
}): void {
  const underWay = new Set<string>();
  const read = (sent: Sent): Claim | string => {
    const claim = claimFrom(decode(sent), Date.now());
    if (typeof claim === 'string') return claim;
    if (underWay.has(claim.by))
      return `another approval by ${claim.by} is being checked. Wait for the answer.`;
    if (underWay.size >= MOST_AT_ONCE) return `more than ${MOST_AT_ONCE} approvals at once. Approve again.`;
    return refusalToApprove(asked.state(), claim) ?? claim;
  };
  const count = async (sent: Sent): Promise<ReturnType<typeof countApproval>> => {
    const claim = read(sent);
    if (typeof claim === 'string') return claim;
    const stand = standOf(asked.state().rollout);
    underWay.add(claim.by);
    const problem = await problemWith(claim, asked.key).finally(() => underWay.delete(claim.by));
    return problem ?? countApproval(asked.state(), claim, stand);
  };
  const take = async (sent: Sent): Promise<ReturnType<typeof countApproval>> => {
    const counted = await count(sent);
    asked.take((state) => (typeof counted === 'string' ? refusedApproval(state, counted) : counted.state));
    return counted;
  };
  const answer = async (sent: Sent): Promise<Answer> => {
    const counted = await take(sent);
    if (typeof counted === 'string') throw refused(counted);
    return { message: counted.message };
  };
  const validate = (sent: Sent): void => {
    const claim = read(sent);
    if (typeof claim === 'string') throw refused(claim);
  };
  listenToApprovals(async (sent) => void (await take(sent)), answer, validate);
}

type Sent = RawValue | undefined;

function listenToApprovals(
  heard: (sent: Sent) => void | Promise<void>,
  answer: (sent: Sent) => Promise<Answer>,
  validator: (sent: Sent) => void,
): void {
  setHandler(requestSignals.approve, heard, options);
  setHandler<Answer, [RawValue?], UpdateDefinition<Answer, [RawValue?]>>(requestUpdates.approve, answer, {
    ...options,
    validator,
  });
}

/** Refuses every approval where no step takes any. */
export function refuseApprovals(message: string): void {
  const refuse = (): never => {
    throw refused(message);
  };
  listenToApprovals(() => undefined, refuse, refuse);
}

async function problemWith({ by, groups }: Claim, key: ObjectKey): Promise<string | undefined> {
  try {
    const { reviewApproval } = objects(`Ask Kubernetes whether ${by} may approve`);
    // A cancellation of the workflow is an abort, which the rollout takes up itself.
    const { allowed } = await CancellationScope.nonCancellable(() => reviewApproval({ key, by, groups }));
    return allowed
      ? undefined
      : `Kubernetes does not let ${by} approve Cell ${key.namespace}/${key.name} (verb approve of cells.okra.mumo.co). Have the ClusterRole okra-approver, or another with that verb, bound to ${by}.`;
  } catch (error) {
    return `cannot find out whether ${by} may approve: ${failureOf(error).message} Approve again.`;
  }
}

const refused = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'Refused');
