import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import {
  type StagedDecision,
  initialStagedState,
  type StagedState,
  stagedRequestNames,
  type StagedAim,
  type StagedRequestName,
} from '../domain/staged/state.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import type { ObservedStaged } from '../domain/staged/observation.ts';
import { holdTime, resumeTime } from '../domain/staged/evaluate.ts';
import { acceptStagedRequest, answerStagedRequest, refuseStagedRequest } from '../domain/staged/requests.ts';
import { addLook, backoffMs, pauseBeforeLook, type Looks } from '../domain/model/pace.ts';
import { sameStatus } from '../domain/rollout/report/events.ts';
import { deriveStagedStatus } from '../domain/staged/status.ts';
import { nextLook, takeStagedTurn } from '../domain/staged/turn.ts';
import { objects, stages, inShort } from './activities.ts';
import { failureOf } from './failure.ts';
import { changed, stagedQuery } from './messages.ts';
import { goOn, isDue, waitUntil } from './renewal.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { RawValue } from '@temporalio/common';
import { fieldsIn, omit } from '../domain/model/fields.ts';
import { decode, listenTo, stampOf } from './listen-to-request.ts';

const descriptions: Readonly<Record<StagedRequestName, string>> = {
  pause: 'Begins no stage until resume.',
  resume: 'Ends a pause.',
  promote: 'Finishes the stage, whether or not its condition is fulfilled; with "stage", only that one.',
  abort: 'Rolls the newest stage back; with "to", all after the stage of that name, the newest first.',
  retry: 'Continues after an abort, or after a stage that was not fulfilled in time.',
};

function aimIn(sent: RawValue | undefined): StagedAim {
  const { to, stage } = fieldsIn(decode(sent));
  return {
    ...(typeof to === 'string' ? { to } : {}),
    // What names none is not the one that it is at.
    ...(stage === undefined ? {} : { stage: typeof stage === 'string' ? stage : '' }),
  };
}

/** Which StagedBindingPolicy, how often to look when nobody tells of a change, and what an earlier run has handed over. */
export interface StagedBindingInput {
  readonly key: ObjectKey;
  /** Until a look says otherwise. */
  readonly intervalSeconds?: number;
  readonly state?: StagedState;
  /** When it has looked last: what paces its looks counts those of the runs before as well. */
  readonly looks?: Looks;
}

const FIRST_INTERVAL_SECONDS = 60;

// What is decided once more each time does not stay as it was written, because someone else writes it as well.
const MOST_REPEATED = 3;
const REPEATED_MS = 60_000;

/** Takes a StagedBindingPolicy through its stages, for as long as it exists: look, decide, report, perform. */
export async function stagedBinding(input: StagedBindingInput): Promise<void> {
  const { key } = input;
  const { name } = key;
  let state = input.state ?? initialStagedState;
  let intervalSeconds = input.intervalSeconds ?? FIRST_INTERVAL_SECONDS;
  let observed: ObservedStaged | undefined;
  let wakes = 0;
  let asked = 0;
  let failures = 0;
  let [last, repeated] = ['', 0];
  let idle = input.looks ?? [];
  setHandler(changed, () => void (wakes += 1), { description: 'Looks at the object again.' });
  setHandler(stagedQuery, () => state, { description: 'Where it stands.' });
  for (const request of stagedRequestNames)
    listenTo(request, {
      description: descriptions[request],
      refusal: (sent) => refuseStagedRequest(state, request, aimIn(sent)),
      answer: () => answerStagedRequest(request, state),
      take: (sent) => {
        state = acceptStagedRequest(state, request, { ...stampOf(sent), ...aimIn(sent) });
        wakes += 1;
        asked += 1;
      },
    });

  const report = async (decision: StagedDecision): Promise<void> => {
    const object = observed?.object;
    if (observed === undefined || object === undefined) return;
    // What is placed is told with the next look; but which stage begins is told first, so that the API server keeps it from edits.
    const isTold = decision.do !== 'Look' && decision.do !== 'Apply' && decision.do !== 'Select';
    if (!isTold && object.status.activeStage === state.active?.name) return;
    const status = deriveStagedStatus({ name, object, state, decision, now: Date.now() });
    setCurrentDetails(status.message ?? '');
    if (sameStatus(status, object.status)) return;
    await objects(`Report: ${status.phase ?? ''}`).reportStaged({ name, uid: object.uid, status });
    observed = { ...observed, object: { ...object, status } };
  };
  const step = async (): Promise<StagedDecision> => {
    const found = await stages('Look at the stages').observeStaged(nextLook(name, state));
    ({ intervalSeconds = intervalSeconds } = found);
    observed = found;
    const turn = takeStagedTurn(found, state, Date.now());
    ({ state } = turn);
    const act = (): Promise<void> => perform(turn.decision, name, found);
    try {
      await report(turn.decision);
    } catch (refused) {
      // What takes back does not wait until it can be told.
      if (state.rollingBack !== undefined) await act();
      throw refused;
    }
    await act();
    return turn.decision;
  };
  const untilWoken = async (seen: number, milliseconds: number, summary: string): Promise<void> =>
    void (await waitUntil(() => wakes !== seen || isDue(), Math.max(1, milliseconds), inShort(summary)));

  /** Lets some time pass where look follows look, and nothing comes of them; not when someone has asked for something. */
  const rest = async (seen: number): Promise<void> => {
    idle = addLook(idle, Date.now());
    const wait = pauseBeforeLook(idle, Date.now());
    if (wait > 0) await waitUntil(() => asked !== seen || isDue(), wait, 'Its clusters report all the time');
  };

  for (;;) {
    const [seen, seenAsked] = [wakes, asked];
    try {
      const decision = await step();
      failures = 0;
      const said = JSON.stringify(decision);
      [last, repeated] = [said, said === last ? repeated + 1 : 1];
      // Something that has changed since may be an object of the same name.
      if (decision.do === 'Close' && wakes === seen) return;
      if (decision.do === 'Wait') {
        const until = Math.min(
          decision.until ?? Number.POSITIVE_INFINITY,
          Date.now() + intervalSeconds * 1000,
        );
        await untilWoken(seen, until - Date.now(), decision.message);
        await rest(seenAsked);
      } else if (repeated >= MOST_REPEATED) {
        const conflict = failed(
          'Conflict',
          `${decision.message} This was done ${MOST_REPEATED} times, and something changes it back: find out what writes the BindingPolicy, and whether this KubeStellar knows every field of spec.downsync. Retrying in a minute.`,
        );
        state = holdTime(state, conflict, Date.now());
        await report(conflict);
        await waitUntil(() => asked !== seenAsked || isDue(), REPEATED_MS, inShort(decision.message));
      }
    } catch (error) {
      const failure = failureOf(error);
      failures += 1;
      // Nobody knows what the stage has come to meanwhile.
      const trouble = failed(failure.reason, `${failure.message} Retrying.`);
      state = holdTime(resumeTime(state, Date.now()), trouble, Date.now());
      await report(trouble).catch((refused: unknown) => void failureOf(refused));
      await untilWoken(seen, backoffMs(failures), `Trying again: ${failure.message}`);
      await rest(seenAsked);
    }
    if (isDue()) await goOn<typeof stagedBinding>({ key, intervalSeconds, state, looks: idle });
  }
}

async function perform(decision: StagedDecision, name: string, { object }: ObservedStaged): Promise<void> {
  const { uid = '', generation = 0 } = object ?? {};
  switch (decision.do) {
    case 'Apply': {
      const { message, ...change } = omit(decision, 'do');
      return stages(message).applyStage({ name, uid, generation, ...change });
    }
    case 'Select':
      return stages(decision.message).selectClusters({ name, uid, stage: decision.stage });
    case 'Remove': {
      const { message, ...policy } = omit(decision, 'do');
      return stages(message).removeStage({ name, policy });
    }
    case 'Release':
      return objects(decision.message).releaseStaged(name);
    case 'Look':
    case 'Wait':
    case 'Close':
      return undefined;
    default:
      return unreachable(decision);
  }
}

const failed = (reason: string, message: string): StagedDecision => ({
  do: 'Wait',
  phase: 'Failed',
  reason,
  message,
  isTrouble: true,
});
