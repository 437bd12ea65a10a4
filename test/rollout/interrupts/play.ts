import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { hasCode, statusCodes } from '../../../clients/temporal/grpc-status.ts';
import { objectStart } from '../../../clients/temporal/workflow-start.ts';
import type { CellSpec } from '../../../crds/cell.ts';
import { formatKey } from '../../../domain/model/ids.ts';
import type { RequestName } from '../../../domain/model/request.ts';
import { sameShares } from '../../../domain/load-balancers/weights.ts';
import type { CellRolloutInput } from '../../../workflows/cell-rollout.ts';
import { changed, type Answer } from '../../../workflows/messages.ts';
import { waitAfter } from '../../support/until.ts';
import { eventText, wasAskedBefore, type PlayedHistory } from './histories.ts';
import type { Theatre } from './theatre.ts';
import { targetGroupsOf } from '../../../domain/load-balancers/load-balancer.ts';
import { World, type Sent } from './world.ts';

// temporal.api.enums.v1.PendingActivityState
const CANCEL_REQUESTED = 3;
const LONGEST_MS = 240_000;
// Many plays run at once: each look takes time from all of them.
const LEAST_WAIT_MS = 250;

/** How far a play has come. */
interface Moment {
  readonly sent: number;
  readonly at: number;
}

/** One Cell, what surrounds it, and its workflow. */
export class Play {
  readonly world: World;
  /** The runs of the workflow, the latest last. */
  readonly runIds: string[] = [];
  readonly #theatre: Theatre;
  #isClosed = false;
  readonly #seen: string[] = [];
  #histories: Promise<readonly PlayedHistory[]> | undefined;

  constructor(theatre: Theatre, namespace: string, spec: Partial<CellSpec>) {
    this.#theatre = theatre;
    this.world = new World(namespace, spec);
    theatre.worlds.set(namespace, this.world);
  }

  /** The latest run. */
  get run(): WorkflowHandle {
    const { client, taskQueue } = this.#theatre;
    const { workflowId } = objectStart({ kind: 'Cell', key: this.world.key }, taskQueue).options;
    return client.workflow.getHandle(workflowId, this.runIds.at(-1));
  }

  /** Tells the workflow to look again, and starts it when it does not run, as the watchers do. */
  async wake(handed: Pick<CellRolloutInput, 'state'> = {}): Promise<void> {
    const { client, taskQueue } = this.#theatre;
    const { type, options } = objectStart({ kind: 'Cell', key: this.world.key }, taskQueue);
    const handle = await client.workflow.signalWithStart(type, {
      ...options,
      args: [{ key: this.world.key, ...handed }],
      signal: changed,
      signalArgs: [],
    });
    if (this.runIds.at(-1) !== handle.signaledRunId) this.runIds.push(handle.signaledRunId);
  }

  /** Tells the workflow to look again, unless it does not run, as the watchers do. */
  async signal(name = 'changed'): Promise<void> {
    try {
      await this.run.signal(name);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  /** Asks what an operator asks, and says why it was refused. */
  async ask(name: RequestName): Promise<string | undefined> {
    let refusal: string | undefined;
    // By its id Temporal knows one that was taken before, however often it is sent.
    const updateId = randomUUID();
    await this.#poll(`${this.text}, and asked to ${name}`, async () => {
      try {
        await this.run.executeUpdate<Answer, [object]>(name, {
          args: [{ by: 'ann', reason: '' }],
          updateId,
        });
      } catch (error) {
        // On a machine that is too slow for its workflow tasks, Temporal takes no update for a while.
        if (hasCode(error, statusCodes.FAILED_PRECONDITION)) return false;
        if (!(error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure))
          throw error;
        refusal = error.cause.message;
      }
      return true;
    });
    return refusal;
  }

  /**
   * How the Cell stands: what ELBv2 gives 2.0.0, what the status says of it when that is something else, phase and
   * reason, who has paused it, whether 2.0.0 is blocked, and what ELBv2 gives 3.0.0.
   */
  get text(): string {
    const { world } = this;
    const weight = world.weight('b');
    if (world.isDeleted) return `${weight} ${this.#isClosed ? 'closed' : 'gone'}`;
    const { status } = world;
    const told = world.weight('b', status.targetGroups);
    const paused = status.rollout?.paused;
    const isBlocked = status.blockedVersions?.some(({ version }) => version === '2.0.0') === true;
    const superseding = world.weight('c');
    return [
      `${weight}${told === weight ? '' : ` told ${told}`} ${status.phase} ${status.reason}`,
      ...(paused === undefined ? [] : [`by ${paused.by}`]),
      ...(isBlocked ? ['blocked'] : []),
      ...(superseding === 0 ? [] : [`3.0.0 at ${superseding}`]),
    ].join(', ');
  }

  /** Waits until the Cell stands in a way, and nothing more is done about it before something happens. */
  async until(text: string, { hangs = false } = {}): Promise<void> {
    await this.#poll(text, async () => {
      const mayBe = this.world.isDeleted || this.#look() === text;
      return mayBe && (await this.isQuiet({ hangs })) && this.#look() === text;
    });
  }

  /** Waits until the status is about all that the watchers compare, so that they have nothing to start another run for; one that was refused is written again after a while. */
  async untilSeen(): Promise<void> {
    await this.#poll(`${this.text}, and reported`, async () => this.world.isSeen);
  }

  /** Tells the workflow once more to look, and gives how the Cell stands when it has done all that it does. */
  async afterAnotherLook(): Promise<string> {
    await this.signal();
    await this.#untilQuiet();
    return this.text;
  }

  /** Tells the workflow, once it does nothing, when ELBv2 serves something else than the configuration says, as the watch over the listener does. */
  async noticeDrift(): Promise<void> {
    await this.#untilQuiet();
    const { config, served } = this.world;
    if (config !== undefined && !sameShares(targetGroupsOf(config.served), served))
      await this.signal('drifted');
  }

  /** Waits until what the workflow has cancelled, if anything, has heard of it. */
  async untilCancelled(): Promise<void> {
    const { raw, runId } = await this.run.describe();
    if (!raw.pendingActivities?.some(({ state }) => state === CANCEL_REQUESTED)) return;
    await this.#poll('told of its cancellation', async () => this.world.troubles.isGivenUp(runId));
  }

  /** Whether the workflow does nothing at the moment; what hangs is not counted, or has to be there. */
  async isQuiet({ hangs = false } = {}): Promise<boolean> {
    const runId = this.runIds.at(-1) ?? '';
    const hanging = this.world.troubles.waiting(runId);
    // The server is asked only while nothing is done here.
    if ((hangs && hanging === 0) || this.#theatre.underWay.of(runId) > hanging) return false;
    const { raw, status } = await this.run.describe();
    this.#isClosed = status.name !== 'RUNNING';
    const isDeciding = (raw.pendingWorkflowTask ?? undefined) !== undefined;
    return this.#isClosed || (!isDeciding && (raw.pendingActivities ?? []).length <= hanging);
  }

  /** What was sent by now, and when that was, in milliseconds since 1970. */
  get moment(): Moment {
    return { sent: this.world.sent.length, at: Date.now() };
  }

  /**
   * The changes of weights since then that gave 2.0.0 more than there was. One that was refused may have been on its way, and
   * on a machine that stands still for a second one may be decided on again while something is being asked.
   */
  async increasesSince({ sent, at }: Moment): Promise<readonly Sent[]> {
    const { world } = this;
    const increases = world.sent
      .slice(sent)
      .filter(
        ({ before, after, isApplied }) => isApplied && world.weight('b', after) > world.weight('b', before),
      );
    if (increases.length === 0) return [];
    const runs = await this.#fetch();
    return increases.filter(({ by }) => !wasAskedBefore(runs, by, at));
  }

  /** The histories of all runs. */
  histories(): Promise<readonly PlayedHistory[]> {
    return (this.#histories ??= this.#fetch());
  }

  #fetch(): Promise<readonly PlayedHistory[]> {
    return Promise.all(
      this.runIds.map(async (runId) => {
        const handle = this.#theatre.client.workflow.getHandle(this.run.workflowId, runId);
        return { runId, history: await handle.fetchHistory() };
      }),
    );
  }

  /** Ends what still runs. */
  async end(): Promise<void> {
    this.world.troubles.lift();
    try {
      await this.run.terminate('the play is over');
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  #untilQuiet(): Promise<void> {
    return this.#poll('at rest', () => this.isQuiet());
  }

  async #poll(wanted: string, probe: () => Promise<boolean>): Promise<void> {
    const begun = Date.now();
    for (; !(await probe()); await wait(Math.max(LEAST_WAIT_MS, waitAfter(Date.now() - begun))))
      if (Date.now() - begun > LONGEST_MS) throw new Error(await this.#complaint(wanted));
  }

  #look(): string {
    const { text } = this;
    if (this.#seen.at(-1) !== text) this.#seen.push(text);
    return text;
  }

  async #complaint(wanted: string): Promise<string> {
    const { config, status, sent, key } = this.world;
    const events = (await this.histories()).flatMap(({ history }) => (history.events ?? []).map(eventText));
    const got = JSON.stringify({ config, status, sent }, undefined, 1);
    return `Expected ${formatKey(key)} to be "${wanted}", got ${this.#seen.join(' → ')}.\n${got}\n${events.join('\n')}`;
  }
}
