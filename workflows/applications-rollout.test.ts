import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApplicationAction } from '../domain/applications/situation.ts';
import type { ApplicationsState } from '../domain/applications/state.ts';
import { clusters, ruleAt, web } from '../domain/applications/testing/applications.ts';
import { ApplicationsWorld } from '../domain/applications/testing/world.ts';
import type { CellReport } from '../domain/rollout/report/events.ts';

interface Handler {
  (request?: undefined): unknown;
}
const handlers = new Map<string, Handler>();
let world: ApplicationsWorld;
let isGone = false;
let historyLength = 0;
/** What happens when the workflow waits; it is not woken by time alone. */
let idle: () => void;
const details: string[] = [];
const waits: number[] = [];
let isDeleting = false;

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  setCurrentDetails: (text: string) => void details.push(text),
  setHandler: ({ type, name }: { type: string; name: string }, handler: Handler) =>
    void handlers.set(`${type} ${name}`, handler),
  upsertSearchAttributes: () => undefined,
  workflowInfo: () => ({ historyLength, runId: 'run', workflowId: 'w' }),
}));

const refused = (): ActivityFailure =>
  new ActivityFailure(
    'Activity task failed',
    'performApplication',
    'id',
    'MAXIMUM_ATTEMPTS_REACHED',
    'worker',
    ApplicationFailure.nonRetryable('The API server does not answer.', 'Unavailable'),
  );

/** The activities that fail the next time. */
const failing = new Set<string>();
const fails = (name: string): Promise<void> =>
  failing.delete(name) ? Promise.reject(refused()) : Promise.resolve();

/** The activities that do not answer, and what happens when they are asked; what acts never does, as it is given up. */
const hangs = new Map<string, () => void>();
async function hanging(name: string): Promise<void> {
  const happen = hangs.get(name);
  if (happen === undefined) return;
  setImmediate(happen);
  if (name !== 'observe') await new Promise(() => undefined);
  while (hangs.has(name)) await new Promise((done) => setImmediate(done));
}
const looked: string[] = [];
/** What was done on the queue of what does not wait. */
const urgent: string[] = [];

const activities = {
  async observeApplications(_key: object, how?: { readonly withoutClusters: true }) {
    await fails('observe');
    if (how === undefined) await hanging('observe');
    looked.push(how === undefined ? 'all' : 'without clusters');
    const { cell, ...nothing } = how === undefined ? world.observe() : world.observeWithoutClusters();
    if (isGone || cell === undefined) return nothing;
    return { ...nothing, cell: { ...cell, isDeleting } };
  },
  releaseApplications: () =>
    Promise.resolve({ isDone: false, message: 'Waiting until mysystem-web is gone.' }),
  async performApplication(request: { application: string; action: ApplicationAction }) {
    await fails(request.action.do);
    await hanging(request.action.do);
    world.perform(request.application, request.action);
    world.pass();
    world.isSafe();
  },
  async reportCell({ status }: CellReport) {
    await fails('report');
    world.status = status;
  },
};
vi.mock('./renewal.ts', async (original) => ({
  ...(await original<object>()),
  isDue: () => historyLength > 1_000,
  waitUntil: (_happened: () => boolean, milliseconds: number) => {
    waits.push(milliseconds);
    world.pass();
    idle();
    return Promise.resolve(true);
  },
}));
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  applicationLooks: () => activities,
  applicationActs: () => activities,
  urgentApplications: () => ({
    ...activities,
    performApplication: (request: Parameters<typeof activities.performApplication>[0]) => {
      urgent.push(request.action.do);
      return activities.performApplication(request);
    },
  }),
  objects: () => activities,
}));

vi.mock('./interruptible.ts', () => ({
  interruptible: async (run: () => Promise<unknown>, { happened }: { happened: () => boolean }) => {
    const stop = new AbortController();
    const interrupted = (async () => {
      while (!stop.signal.aborted && !happened()) await new Promise((done) => setImmediate(done));
      return { is: 'Interrupted' };
    })();
    const answered = run().then((value) => ({ is: 'Answered', value }));
    return await Promise.race([answered, interrupted]).finally(() => stop.abort());
  },
}));

const { rollOutApplications } = await import('./applications-rollout.ts');
const { applicationsFrom, initialApplicationsState } = await import('../domain/applications/state.ts');

const never = new Promise<never>(() => undefined);
const renewed: ApplicationsState[] = [];
const key = { namespace: 'default', name: 'mysystem' };

/** Runs the workflow until the Cell is in place, or for so long; then the Cell is gone. */
async function roll(until: () => boolean, state = initialApplicationsState, looks = 200) {
  let left = looks;
  idle = () => {
    left -= 1;
    if (until() || left === 0) isGone = true;
  };
  const renew = (next: ApplicationsState): Promise<never> => {
    renewed.push(next);
    return Promise.reject(new Error('renewed'));
  };
  const now = vi.spyOn(Date, 'now').mockImplementation(() => world.now);
  try {
    return await rollOutApplications(key, state, { cancellation: { requested: never, isDue: false }, renew });
  } finally {
    now.mockRestore();
  }
}

const phase = (): string | undefined => world.status.phase;
const send = (name: string): unknown => handlers.get(`signal ${name}`)?.();

beforeEach(() => {
  world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [web()] });
  isGone = false;
  isDeleting = false;
  historyLength = 0;
  failing.clear();
  hangs.clear();
  looked.length = 0;
  urgent.length = 0;
});

describe('the workflow of a Cell with applications', () => {
  it('brings all in place, and ends with the Cell', async () => {
    const result = await roll(() => phase() === 'Completed');
    expect(result).toEqual({ outcome: 'Deleted', message: 'The Cell is gone.' });
    expect(phase()).toBe('Completed');
    expect(details.at(-1)).toContain('| web | Synced | 1 |');
  });

  it.each(['observe', 'report', 'SaveRevision', 'ApplySecrets', 'ApplyChild', 'MarkGood'])(
    'continues after a failure of %s, and does not fail',
    async (name) => {
      failing.add(name);
      await roll(() => phase() === 'Completed');
      expect(phase()).toBe('Completed');
      expect(failing.size).toBe(0);
    },
  );

  it('says what keeps failing', async () => {
    const said: unknown[] = [];
    failing.add('ApplySecrets');
    await roll(() => {
      said.push(world.status.message);
      return phase() === 'Completed';
    });
    expect(said.join('\n')).toContain('The API server does not answer. Retrying.');
  });

  it('takes an abort by a signal, and does not wait with what goes back until it is reported', async () => {
    await roll(() => phase() === 'Completed');
    isGone = false;
    world.edit({ clusters: clusters('web-v2') });
    let isAsked = false;
    await roll(() => {
      if (!isAsked && world.children.get('web')?.status.phase === 'Progressing') {
        isAsked = true;
        send('abort');
        failing.add('report');
      }
      return phase() === 'Reverted';
    });
    expect(phase()).toBe('Reverted');
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
  });

  it.each<readonly [string, () => ApplicationsState]>([
    [
      'before anyone knew that it has applications',
      () => applicationsFrom({ abort: { by: 'ann', reason: '', at: world.now } }),
    ],
    [
      'before the first look',
      () => {
        failing.add('observe');
        return initialApplicationsState;
      },
    ],
  ])('takes an abort %s, after a run was lost', async (when, begun) => {
    await roll(() => phase() === 'Completed');
    isGone = false;
    world.edit({ clusters: clusters('web-v2') });
    await roll(() => world.children.get('web')?.status.phase === 'Progressing');
    isGone = false;
    let isAsked = when !== 'before the first look';
    const lost = begun();
    await roll(() => {
      if (!isAsked) send('abort');
      isAsked = true;
      return phase() === 'Reverted';
    }, lost);
    expect(phase()).toBe('Reverted');
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
  });

  it('takes the traffic back by an abort while EKS or a cluster does not answer', async () => {
    await roll(() => phase() === 'Completed');
    isGone = false;
    world.edit({ clusters: clusters('web-v2') });
    await roll(() => world.children.get('web')?.status.phase === 'Progressing');
    isGone = false;
    const served: unknown[] = [];
    const serves = (): unknown => served.push(world.children.get('web')?.revision);
    hangs.set('observe', () => {
      serves();
      send('abort');
      hangs.set('observe', () => {
        serves();
        hangs.clear();
      });
    });
    await roll(() => phase() === 'Reverted');
    expect(served).toEqual([2, 1]);
    expect(world.status).toMatchObject({ phase: 'Reverted', clusters: [{ ready: true }] });
    expect([...world.secrets.keys()]).toEqual(['web-v1']);
  });

  it.each(['abort', 'pause'])(
    'does not wait with %s for what is done and does not answer',
    async (request) => {
      await roll(() => phase() === 'Completed');
      isGone = false;
      world.edit({ clusters: clusters('web-v2') });
      hangs.set('ApplySecrets', () => send(request));
      looked.length = 0;
      await roll(() => looked.includes('without clusters') && looked.at(-1) === 'all');
      expect(world.status).toMatchObject(
        request === 'pause' ? { phase: 'Paused' } : { applications: [{ failed: { reason: 'Aborted' } }] },
      );
      expect(world.secrets.has('web-v2')).toBe(false);
    },
  );

  it('does not wait with an abort for traffic that is to go forward, and does not', async () => {
    await roll(() => phase() === 'Completed');
    isGone = false;
    world.edit({ clusters: clusters('web-v2') });
    hangs.set('ApplyChild', () => {
      hangs.clear();
      send('abort');
    });
    await roll(() => phase() === 'Reverted');
    expect(world.status).toMatchObject({
      phase: 'Reverted',
      applications: [{ failed: { reason: 'Aborted' } }],
    });
  });

  it('takes traffic back, and hands requests on, where it waits for nothing that may not answer', async () => {
    const job = { template: { spec: { image: 'a' } } };
    const application = web({ postchecks: [{ name: 'after', job }] });
    world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [application] });
    await roll(() => phase() === 'Completed');
    isGone = false;
    expect(urgent).toEqual([]);
    world.edit({ clusters: clusters('web-v2') });
    await roll(() => world.children.get('web')?.status.phase === 'Progressing');
    isGone = false;
    world.failing.add('after');
    const begun = urgent.length;
    await roll(() => phase() === 'Failed');
    expect(urgent.slice(begun)).toEqual(['ApplyChild']);
    expect(world.children.get('web')?.revision).toBe(1);
  });

  it('looks less and less often at a deletion that does not come about, and says what it waits for', async () => {
    await roll(() => phase() === 'Completed');
    isGone = false;
    isDeleting = true;
    waits.length = 0;
    await roll(() => waits.length === 9);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
    expect(details.at(-1)).toContain('Waiting until mysystem-web is gone.');
  });

  it('answers what it is asked', async () => {
    await roll(() => phase() === 'Completed');
    expect(handlers.get('query state')?.()).toMatchObject({ status: { phase: 'Completed' } });
    expect(handlers.get('query plan')?.()).toMatchObject({ steps: [{ stands: 'done' }] });
  });

  it('continues as a new run when its history is long, with all that it knows', async () => {
    await roll(() => phase() === 'Completed');
    isGone = false;
    historyLength = 5_000;
    await expect(roll(() => false)).rejects.toThrow('renewed');
    expect(renewed.at(-1)?.reported?.phase).toBe('Completed');
  });

  it('takes all traffic back by an abort before it continues as a new run, which looks at all', async () => {
    const other = web({ name: 'other', alb: ruleAt(11) });
    world = new ApplicationsWorld({
      clusters: clusters('web-v1'),
      applications: [web(), other],
      parallel: true,
    });
    await roll(() => phase() === 'Completed');
    isGone = false;
    world.edit({ clusters: clusters('web-v2') });
    const revisions = (): unknown => [...world.children.values()].map(({ revision }) => revision);
    await roll(() => String(revisions()) === '2,2');
    isGone = false;
    historyLength = 5_000;
    const asked = applicationsFrom({ abort: { by: 'ann', reason: '', at: world.now } });
    await expect(roll(() => false, asked)).rejects.toThrow('renewed');
    expect(revisions()).toEqual([1, 1]);
    expect(renewed.at(-1)?.forwards).toEqual([]);
  });

  it('hands over what has failed, which does not keep an abort waiting', async () => {
    historyLength = 5_000;
    failing.add('SaveRevision');
    await expect(roll(() => false)).rejects.toThrow('renewed');
    const trouble = renewed.at(-1)?.troubles['web'];
    expect(trouble).toMatchObject({ reason: 'Unavailable' });
    expect(Object.keys(trouble?.actions ?? {})).toEqual([expect.stringContaining('"SaveRevision"')]);
  });
});
