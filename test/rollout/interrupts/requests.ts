import type { Play } from './play.ts';
import type { Wait } from './waits.ts';

/** One thing that is done while a rollout waits; answers with why it was refused. */
export type Act = (play: Play, wait: Wait) => Promise<string | undefined | void>;

/** Something that is asked of a rollout, by whatever way. */
export interface Column {
  /** What is done, one after the other; what ends the wait is left out where nothing does. */
  readonly acts: readonly Act[];
  /** How many of the acts let no weight of 2.0.0 be asked for that is more than there is; undefined: it may increase. */
  readonly calmActs?: number;
  /** Why it is refused, where the table says so. */
  readonly refusal?: string;
}

/** Ends what is waited for. */
export const lift: Act = async (play, wait) => await wait.lift?.(play);

const ask =
  (name: Parameters<Play['ask']>[0]): Act =>
  (play) =>
    play.ask(name);

const cancel: Act = async (play) => void (await play.run.cancel());

const terminate: Act = async (play) => {
  await play.run.terminate('tired');
  play.world.lostRun = { is: 'Terminated', by: 'ann', reason: 'tired' };
  await play.wake();
};

const pin: Act = (play) => {
  play.world.edit((spec) => ({ ...spec, version: '1.0.0' }));
  return play.wake();
};

const freeze: Act = (play) => {
  play.world.freezes = [...play.world.freezes, { name: 'incident', by: 'ann', reason: 'Nobody moves.' }];
  return play.signal();
};

const remove: Act = (play) => {
  play.world.delete();
  return play.signal();
};

const supersede: Act = (play) => {
  play.world.groups = ['a', 'b', 'c'];
  return play.wake();
};

/** Every request, and what else people and objects ask for. */
export const requests = {
  abort: { acts: [ask('abort'), lift], calmActs: 2 },
  'cancel in the Web UI': { acts: [cancel, lift], calmActs: 2 },
  pause: { acts: [ask('pause'), lift], calmActs: 2 },
  promote: { acts: [ask('promote'), lift] },
  promoteFull: { acts: [ask('promoteFull'), lift] },
  retry: {
    acts: [ask('retry'), lift],
    refusal: 'A rollout of 2.0.0 is in progress. Abort it first, or wait for its end.',
  },
  'pin of the stable version': { acts: [pin, lift], calmActs: 2 },
  Freeze: { acts: [freeze, lift, ask('abort')], calmActs: 3 },
  delete: { acts: [remove, lift], calmActs: 2 },
  supersede: { acts: [supersede, lift], calmActs: 2 },
  'terminate in the Web UI': { acts: [terminate, lift, ask('resume')], calmActs: 2 },
} as const satisfies Readonly<Record<string, Column>>;

/** The name of something that is asked for. */
export type ColumnName = keyof typeof requests;
