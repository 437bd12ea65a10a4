import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ToldWeights } from '../../clients/temporal/weight-history.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { follow } from '../okractl/follow.ts';
import type { Asker } from '../okractl/send.ts';
import type { Session } from '../okractl/shell.ts';
import { nothingWatched, type Watched } from '../okractl/watched.ts';
import { noted } from './chart.ts';
import { type CellRow, type KnownCell, rowOf, rowOfPolicy } from './rows.ts';

/** What is watched for all who look with the same rights. */
export type Hub = ReturnType<typeof openHub>;

interface HubOptions {
  readonly kubernetes: KubernetesClient;
  /** All when empty. */
  readonly namespaces: readonly string[];
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const TOGETHER_MS = 200;

interface Shown extends KnownCell {
  readonly row: CellRow;
  readonly weights: readonly ToldWeights[];
}

/** Begins to watch, until the signal. */
export function openHub({ kubernetes, namespaces, now, signal }: HubOptions) {
  const watched = nothingWatched();
  // What is told belongs together, whatever has been seen since.
  let told = { watched: { ...watched }, rows: new Map<string, CellRow>() as ReadonlyMap<string, CellRow> };
  const shown = new Map<string, Shown>();
  const listeners = new Set<() => void>();
  let telling: NodeJS.Timeout | undefined;
  const tell = (): void => {
    telling = undefined;
    const { rows, troubles } = rowsOf(watched, shown, now());
    told = { watched: { ...watched, troubles: new Map([...watched.troubles, ...troubles]) }, rows };
    for (const listener of listeners) listener();
  };
  const changed = (): void => {
    if (!signal.aborted) telling ??= setTimeout(tell, TOGETHER_MS);
  };
  // It continues through all that the API server does. What can be read is shown, whatever else cannot.
  const followed = { target: undefined, namespaces, withClusters: true };
  void follow({ kubernetes }, followed, { signal, watched, changed });
  return {
    watched: (): Watched => told.watched,
    rows: () => told.rows,
    known: (key: string): KnownCell | undefined => shown.get(key),
    /** How the weights of a Cell went since the watch began. */
    seen: (key: string): readonly ToldWeights[] => shown.get(key)?.weights ?? [],
    /** Calls back some time after each change, once for many. */
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const NOTHING = { is: 'Nothing' } as const;

/** Whoever looks is told of each row that is another. */
const policyRows = new WeakMap<StagedBindingPolicy, CellRow>();

/** Makes the rows of Cells that have changed, and takes the others as they are. One that cannot be shown keeps nobody from the others. */
function rowsOf({ cells, asked, policies }: Watched, shown: Map<string, Shown>, now: number) {
  const troubles: [what: string, why: string][] = [];
  for (const key of shown.keys()) if (!cells.has(key)) shown.delete(key);
  for (const [key, cell] of cells) {
    const before = shown.get(key);
    const wanted = asked.get(key) ?? NOTHING;
    if (before?.cell === cell && before.asked === wanted) continue;
    const known = { cell, asked: wanted };
    try {
      const row = rowOf(known);
      shown.set(key, { ...known, row, weights: noted(before?.weights ?? [], known, now) });
    } catch (error) {
      troubles.push([`Cell ${key}`, `cannot be shown: ${String(error)}`]);
    }
  }
  const rows = new Map([...shown].map(([key, { row }]) => [key, row]));
  for (const [key, policy] of policies) {
    const row = policyRows.get(policy) ?? rowOfPolicy(policy);
    policyRows.set(policy, row);
    rows.set(key, row);
  }
  return { rows, troubles };
}

/** Someone who looks, with what they are let see and do. */
export interface Viewer {
  readonly session: Asker & Pick<Session, 'temporalUi' | 'docsUrl'>;
  readonly hub: Hub;
  /** Given when they may look no more. */
  readonly signal: AbortSignal;
  /** Undefined: nobody has logged in, and nothing can be asked for. */
  readonly by: string | undefined;
  /** Says whether Kubernetes still lets them see all that they were let see at first; undefined: nobody asks. */
  readonly maySee?: () => Promise<boolean>;
}

/** Someone who asks, without looking. */
export type Requester = Pick<Viewer, 'session' | 'by'>;

/** Those who look, by what they show. */
export interface Viewers {
  /** Who shows a key; undefined when nobody is known by it. Without a key: those who need none, if there are any. */
  readonly of: (key: string | undefined) => Viewer | undefined;
  /** Logs in with a token of Kubernetes, and answers with a key; undefined: one cannot log in here. */
  readonly logIn?: (token: string) => Promise<string>;
  readonly logOut: (key: string) => void;
  /** Who has a token of Kubernetes and shows it with each request, without logging in; undefined: nobody may. */
  readonly person?: (token: string) => Promise<Requester>;
}
