import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { CellReport } from '../../domain/rollout/report/events.ts';
import { cellActivities } from '../rollout/cell.ts';

type Status = NonNullable<Cell['status']>;
interface Applied {
  readonly metadata: { readonly uid: string; readonly resourceVersion?: string };
  readonly status: Status;
}

const conflict = new KubernetesError({ status: 409, reason: 'Conflict', message: 'It has changed.' });

/** A Cell in an API server that compares versions, and a Temporal that knows one run of its workflow. */
class World {
  status: Status | undefined;
  version = 1;
  latestRun: string | undefined = 'a';
  /** The activities that the run has asked for, in that order. */
  activities: string[] = [];
  /** How often Temporal was asked, and how often the API server was read and written. */
  readonly asked = { temporal: 0, reads: 0, writes: 0 };
  /** What happens once on the way of the next status. */
  onTheWay: (() => Promise<void> | void) | undefined;

  edit(): void {
    this.version += 1;
  }

  readonly #kubernetes = {
    get: () => {
      this.asked.reads += 1;
      const metadata = { name: 'web', uid: 'u', resourceVersion: `${this.version}` };
      return Promise.resolve({ metadata, status: this.status });
    },
    apply: async ({ metadata, status }: Applied) => {
      const { onTheWay } = this;
      this.onTheWay = undefined;
      await onTheWay?.();
      this.asked.writes += 1;
      const { resourceVersion } = metadata;
      if (resourceVersion !== undefined && resourceVersion !== `${this.version}`) throw conflict;
      this.status = status;
      this.version += 1;
    },
    create: () => Promise.resolve(),
  };
  readonly #temporal = {
    options: { namespace: 'default' },
    workflowService: {
      // The newest comes first, an event a page.
      getWorkflowExecutionHistoryReverse: ({ nextPageToken }: { nextPageToken?: Uint8Array }) => {
        this.asked.temporal += 1;
        const page = nextPageToken?.[0] ?? 0;
        const activityId = this.activities.at(-page);
        const event = page === 0 ? {} : { activityTaskScheduledEventAttributes: { activityId } };
        const token = page < this.activities.length ? [page + 1] : [];
        return Promise.resolve({ history: { events: [event] }, nextPageToken: Uint8Array.from(token) });
      },
    },
    workflow: {
      getHandle: (id: string) => ({
        describe: () => {
          this.asked.temporal += 1;
          return this.latestRun === undefined
            ? Promise.reject(new WorkflowNotFoundError('No such workflow.', id, undefined))
            : Promise.resolve({ runId: this.latestRun });
        },
      }),
    },
  };

  /** Has an activity of a run report; answers with the status or the refusal. */
  async report(
    phase: Status['phase'],
    runId?: string,
    activityId = '1',
    resourceVersion?: string,
  ): Promise<string> {
    const activities = cellActivities({
      kubernetes: this.#kubernetes,
      temporal: this.#temporal,
    } as never);
    const workflowExecution = runId === undefined ? undefined : { workflowId: 'cell/default/web', runId };
    if (runId !== undefined && !this.activities.includes(activityId)) this.activities.push(activityId);
    const info = { workflowExecution, activityId };
    const context = { info, cancellationSignal: new AbortController().signal } as unknown as Context;
    const told: CellReport = {
      key: { namespace: 'default', name: 'web' },
      uid: 'u',
      resourceVersion,
      status: phase === undefined ? {} : { phase },
      events: [],
    };
    try {
      await asyncLocalStorage.run(context, () => activities.reportCell(told));
      return 'Written';
    } catch (error) {
      return String(error);
    }
  }
}

describe('the status of a Cell', () => {
  let world: World;
  beforeEach(() => (world = new World()));

  const nextRun = (): Promise<string> => {
    world.latestRun = 'b';
    return world.report('Reverting', 'b');
  };

  it('says who has written it', async () => {
    expect(await world.report('Progressing', 'a', '7')).toBe('Written');
    expect(world.status).toMatchObject({ phase: 'Progressing', writer: { runId: 'a', activity: 7 } });
  });

  it('is not written over by one of a run that another has followed', async () => {
    await world.report('Progressing', 'a', '7');
    expect(await nextRun()).toBe('Written');
    expect(await world.report('Paused', 'a', '8')).toContain('was not written: a later one is there');
    expect(world.status?.phase).toBe('Reverting');
  });

  it('is not written over by what a slow network has kept until another run has written', async () => {
    world.onTheWay = async () => void (await nextRun());
    expect(await world.report('Paused', 'a', '8')).toContain('was not written: a later one is there');
    expect(world.status?.phase).toBe('Reverting');
  });

  it('is not written over by what an earlier activity of the run has to tell, also after the run has closed', async () => {
    world.onTheWay = async () => void (await world.report('Completed', 'a', '9'));
    expect(await world.report('Progressing', 'a', '8')).toContain('was not written: a later one is there');
    expect(world.status?.phase).toBe('Completed');
  });

  it.each([
    ['by a number that the run has never given out', 1e9],
    ['by a number that is none', 'x'],
    ['by the number that comes next', 10],
  ])('is written by the run even if someone edits it to name a later writer %s', async (_, activity) => {
    await world.report('Progressing', 'a', '8');
    world.status = { phase: 'Completed', writer: { runId: 'a', activity: activity as number } };
    expect(await world.report('Paused', 'a', '9')).toBe('Written');
    expect(world.status).toMatchObject({ phase: 'Paused', writer: { runId: 'a', activity: 9 } });
  });

  it('is written by the run even if someone edits it to name another run', async () => {
    world.status = { phase: 'Completed', writer: { runId: 'forged', activity: 1e9 } };
    expect(await world.report('Paused', 'a', '9')).toBe('Written');
  });

  it('is written by a later attempt of the same activity, which may have been done already', async () => {
    await world.report('Progressing', 'a', '8');
    expect(await world.report('Progressing', 'a', '8')).toBe('Written');
  });

  it('is written without a read over the version that it goes by', async () => {
    await world.report('Progressing', 'a', '7');
    const { reads } = world.asked;
    expect(await world.report('Paused', 'a', '8', `${world.version}`)).toBe('Written');
    expect([world.status?.phase, world.asked.reads]).toEqual(['Paused', reads]);
  });

  it('is written over no later one when the version that it goes by is not the last', async () => {
    const seen = `${world.version}`;
    world.activities = ['8', '9'];
    await world.report('Completed', 'a', '9');
    expect(await world.report('Progressing', 'a', '8', seen)).toContain(
      'was not written: a later one is there',
    );
    expect(await world.report('Paused', 'a', '10', seen)).toBe('Written');
    expect(world.status?.phase).toBe('Paused');
  });

  it('is not lost when someone edits the Cell meanwhile', async () => {
    await world.report('Progressing', 'a', '7');
    world.onTheWay = () => world.edit();
    expect(await world.report('Paused', 'a', '8')).toBe('Written');
    expect(world.status?.phase).toBe('Paused');
  });

  it('is refused for now when someone edits the Cell all the time, and not for good', async () => {
    const editing = (): void => {
      world.edit();
      world.onTheWay = editing;
    };
    world.onTheWay = editing;
    expect(await world.report('Paused', 'a', '8')).toContain('It has changed.');
  });

  it('is written by the run that continues, whoever has written before', async () => {
    world.latestRun = 'z';
    await world.report('Progressing', 'z', '99');
    world.latestRun = 'a';
    expect(await world.report('Paused', 'a', '1')).toBe('Written');
  });

  it('is not written by a run that Temporal does not know', async () => {
    await world.report('Progressing', 'a', '7');
    world.latestRun = undefined;
    expect(await world.report('Paused', 'lost', '8')).toContain('was not written: a later one is there');
  });

  it('is written without a workflow, and by a workflow after that', async () => {
    expect(await world.report('Progressing')).toBe('Written');
    expect(world.status).not.toHaveProperty('writer');
    expect(await world.report('Paused', 'a')).toBe('Written');
  });

  it('costs one read for each write, and one question to Temporal for each run', async () => {
    for (const activity of ['1', '2', '3']) await world.report('Progressing', 'a', activity);
    await nextRun();
    await world.report('Reverted', 'b', '2');
    expect(world.asked).toEqual({ temporal: 1, reads: 5, writes: 5 });
  });
});
