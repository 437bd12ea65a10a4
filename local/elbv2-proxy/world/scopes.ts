import { askAccount, type Ask } from '../emulator.ts';
import type { ElbRequest } from '../protocol/request.ts';
import type { Upstream } from '../upstream.ts';
import { createAges, type Ages } from './ages.ts';
import { createAnswers, type Answers } from './answers.ts';
import { createHistory, type History } from './history.ts';
import { loadWorld } from './load.ts';
import { createSpelling, type Spelling } from './spelling.ts';
import { createKeeping, type Keeping } from './keeping.ts';
import { createProtocols, type Protocols } from './protocols.ts';
import type { World } from './world.ts';

/** One account in one region: what it has, what it had, and a queue for its writes. */
export interface Scope {
  readonly account: string;
  readonly region: string;
  readonly history: History;
  readonly answers: Answers;
  readonly ages: Ages;
  readonly spelling: Spelling;
  readonly keeping: Keeping;
  readonly protocols: Protocols;
  world(ask: Ask): Promise<World>;
  replace(world: World): void;
  /** Forgets the world, to be read again, after a write whose end is not known. */
  forget(): void;
  /** Runs one write at a time, so that a check and the write it allows are never parted. */
  exclusively<T>(write: () => Promise<T>): Promise<T>;
}

function createScope(account: string, region: string): Scope {
  let known: Promise<World> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const answers = createAnswers();
  return {
    account,
    region,
    history: createHistory(),
    answers,
    ages: createAges(),
    spelling: createSpelling(),
    keeping: createKeeping(),
    protocols: createProtocols(),
    world: (ask) => {
      if (known === undefined) {
        const loading = loadWorld(ask);
        known = loading;
        loading.catch(() => {
          if (known === loading) known = undefined;
        });
      }
      return known;
    },
    replace: (world) => {
      known = Promise.resolve(world);
    },
    forget: () => {
      known = undefined;
      answers.clear();
    },
    exclusively: (write) => {
      const run = last.then(write, write);
      last = run.catch(() => undefined);
      return run;
    },
  };
}

/** Finds the account and region that a call belongs to. */
export interface Scopes {
  of(request: ElbRequest): Promise<Scope>;
  /** Forgets everything, after the emulator was reset. */
  clear(): void;
}

/** Keeps one scope per account and region; the emulator's STS says which account a key belongs to. */
export function createScopes(upstream: Upstream): Scopes {
  const accounts = new Map<string, string>();
  const scopes = new Map<string, Scope>();
  return {
    of: async (request) => {
      const { accessKey = '', region = '' } = request.credential ?? {};
      const account = accounts.get(accessKey) ?? (await askAccount(upstream, request));
      accounts.set(accessKey, account);
      const name = `${account}/${region}`;
      const scope = scopes.get(name) ?? createScope(account, region);
      scopes.set(name, scope);
      return scope;
    },
    clear: () => {
      accounts.clear();
      scopes.clear();
    },
  };
}
