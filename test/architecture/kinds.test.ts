import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkflowStart } from '../../clients/temporal/workflow-start.ts';
import type { Cell } from '../../crds/cell.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Instruction } from '../../watchers/instruction.ts';
import type { KindEvent } from '../../watchers/kinds.ts';
import type { Tally } from '../examples/tally/tally.ts';

// The one line in the table that adds a kind.
vi.mock('../../crds/index.ts', async (original) => {
  const [table, { tally }] = await Promise.all([
    original<{ readonly resources: readonly object[] }>(),
    import('../examples/tally/tally.ts'),
  ]);
  return { ...table, resources: [...table.resources, tally] };
});

/** What the workflow asks of Temporal, carried out at once: the activities of the worker, and the type of the run. */
const temporal: {
  workflowType: string;
  activities: Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
} = { workflowType: '', activities: {} };
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  condition: () => Promise.resolve(true),
  setCurrentDetails: () => undefined,
  setHandler: () => undefined,
  workflowInfo: () => ({
    workflowType: temporal.workflowType,
    workflowId: 'tally/failed',
    taskQueue: 'okra',
  }),
  scheduleActivity: (name: string, args: unknown[]) => temporal.activities[name]?.(...args),
}));

const { createRouter } = await import('../../watchers/router.ts');
const { createDispatcher } = await import('../../watchers/dispatch.ts');
const { wakeOrphans } = await import('../../watchers/run.ts');
const { sources } = await import('../../watchers/kinds.ts');
const { noLog } = await import('../../watchers/testing/fakes.ts');
const { default: synced } = await import('../../workflows/index.ts');
const { tallyActivities } = await import('../examples/tally/tally-sync.ts');

const tally: Tally = {
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Tally',
  metadata: { name: 'failed', uid: 'u', generation: 1 },
  spec: { phase: 'Failed' },
};

/** An event about a Tally, which only the mocked table knows. */
const happened = (type: 'add' | 'delete', object = tally): KindEvent =>
  ({ kind: 'Tally', event: { type, object } }) as unknown as KindEvent;

describe('a kind of one file, whose objects are in no namespace', () => {
  let given: Instruction[] = [];
  beforeEach(() => {
    given = [];
  });
  const aRouter = () => createRouter((instruction) => given.push(instruction), noLog);

  it('is watched where it is installed', () => {
    const source = sources.find(({ kind }) => kind.kind === 'Tally');
    expect(source).toMatchObject({
      optional: true,
      kind: { apiVersion: 'okra.mumo.co/v1alpha1', plural: 'tallies', namespaced: false },
    });
  });

  it('is routed to its workflow, at once and after everything was lost', () => {
    const router = aRouter();
    router.take(happened('add'));
    router.replay();
    router.take(happened('add', { ...tally, metadata: { ...tally.metadata, name: 'paused' } }));
    router.take(happened('delete'));
    expect(given).toEqual([
      { do: 'Start', kind: 'Tally', key: { namespace: '', name: 'failed' } },
      { do: 'Start', kind: 'Tally', key: { namespace: '', name: 'paused' } },
      { do: 'Signal', workflowId: 'tally/failed', signal: 'changed' },
    ]);
  });

  it('is known by the id of its workflow, which hears that the object is gone', async () => {
    const router = aRouter();
    router.take(happened('add'));
    expect(router.objectOf('tally/failed')?.object).toBeDefined();
    router.take(happened('delete'));
    expect(router.objectOf('tally/failed')?.object).toBeUndefined();
    let query = '';
    const list = async function* (asked: { readonly query: string }) {
      query = asked.query;
      yield await Promise.resolve({ workflowId: 'tally/failed' });
    };
    await wakeOrphans({
      client: { workflow: { list } } as never,
      namespaces: ['default'],
      router,
      dispatcher: { dispatch: (instruction) => given.push(instruction) },
      log: noLog,
    });
    expect(query).toContain("'tally'");
    expect(given).toEqual([{ do: 'Signal', workflowId: 'tally/failed', signal: 'changed' }]);
  });

  it('is started by what the table says, synced by its activity, and reported', async () => {
    const start = await startOf(tally);
    expect(start).toMatchObject({
      type: 'tally',
      options: {
        workflowId: 'tally/failed',
        args: [{ key: { namespace: '', name: 'failed' }, intervalSeconds: 30 }],
        staticSummary: 'Tally failed',
      },
    });
    const attributes = start.options.typedSearchAttributes
      .getAll()
      .map(({ key: { name }, value }) => [name, value]);
    expect(attributes).toEqual([['OkraKind', 'Tally']]);

    const objects: (Tally | undefined)[] = [tally, undefined];
    const applied: object[] = [];
    const kubernetes = {
      get: () => Promise.resolve(objects.shift()),
      list: () => Promise.resolve([{ status: { phase: 'Failed' } }, {}] as Cell[]),
      apply: (object: object) => Promise.resolve(void applied.push(object)),
    } as unknown as KubernetesClient;
    temporal.workflowType = start.type;
    temporal.activities = tallyActivities(kubernetes) as typeof temporal.activities;
    await synced(start.options.args[0] as Parameters<typeof synced>[0]);
    expect(applied).toMatchObject([
      { kind: 'Tally', metadata: { name: 'failed', uid: 'u' }, status: { cells: 1, phase: 'Synced' } },
    ]);
    expect(applied[0]).not.toHaveProperty('metadata.namespace');
  });
});

/** How the dispatcher starts the workflow of an object that has just been added. */
async function startOf(object: Tally): Promise<WorkflowStart> {
  const starts: WorkflowStart[] = [];
  const dispatcher = createDispatcher({
    calls: {
      wake: (start) => Promise.resolve(void starts.push(start)),
      signal: () => Promise.resolve(),
    },
    config: {
      taskQueue: 'okra',
      driftIntervalSeconds: 60,
      syncIntervalSeconds: 30,
      temporal: { address: '127.0.0.1:1', namespace: 'default' },
    },
    log: noLog,
    signal: new AbortController().signal,
  });
  const router = createRouter((instruction) => dispatcher.dispatch(instruction), noLog);
  router.replay();
  router.take(happened('add', object));
  await dispatcher.idle();
  const [start] = starts;
  if (start === undefined) throw new Error('Expected the workflow to be started, got nothing.');
  return start;
}
