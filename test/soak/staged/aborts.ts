import { setTimeout as wait } from 'node:timers/promises';
import type { Stage } from '../../support/stage/stage.ts';
import type { SoakedPolicy } from './soaked-policy.ts';

/** How long an abort may take while okrad is ended again and again, in milliseconds. */
const LONGEST_MS = 120_000;
const LOOK_MS = 300;

/** What a stage is in that an abort takes back. */
const under = ['Binding', 'Waiting', 'Soaking', 'TimedOut'];

/** Sends aborts, and sees to it that each takes its stage back. */
export class StagedAborts {
  readonly #watching: Promise<string | undefined>[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Sends one, and says of which stage. */
  async abort(policy: SoakedPolicy): Promise<string> {
    const { activeStage = '', stages = [], held, phase } = await policy.status();
    await this.#stage.desk.signal(policy.workflowId, 'abort', { by: 'ann' });
    const isUnderWay = stages.some((one) => one.name === activeStage && under.includes(one.phase));
    if (!isUnderWay || held !== undefined || phase === 'RollingBack') return 'nothing';
    this.#watching.push(untilAborted(policy, activeStage));
    return activeStage;
  }

  /** Waits for all that were sent, and says what was lost. */
  async lost(): Promise<readonly string[]> {
    return (await Promise.all(this.#watching)).filter((one) => one !== undefined);
  }
}

async function untilAborted(policy: SoakedPolicy, stage: string): Promise<string | undefined> {
  const { disturbances } = policy;
  for (const end = Date.now() + LONGEST_MS; Date.now() < end; await wait(LOOK_MS)) {
    if (policy.disturbances !== disturbances || !policy.placed.has(`${policy.name}-${stage}`))
      return undefined;
    const { stages = [] } = await policy.status();
    // It was over before the abort came, which then was about the next one.
    if (stages.some(({ name, phase }) => name === stage && phase === 'Passed')) return undefined;
  }
  return `the abort of ${stage} of ${policy.name} was lost: ${JSON.stringify(await policy.status())}`;
}
