import { CommanderError } from 'commander';
import type { KubernetesClient, KubernetesError } from '../../../clients/kubernetes/kubernetes.ts';
import type {
  KnownRuns,
  Operator,
  RequestAnswer,
  SentRequest,
  TemporalFindings,
} from '../../../clients/temporal/operator.ts';
import type { Access, ServiceAccount } from '../../../clients/kubernetes/person.ts';
import { isOf, memoryCluster, type FakeObject } from '../../testing/memory-cluster.ts';
import { endingOf, type Session, type Shell } from '../shell.ts';
import { okractl } from '../program.ts';

export type { FakeObject } from '../../testing/memory-cluster.ts';

/** What is around a command in a test. */
export interface FakeWorld {
  readonly objects?: readonly FakeObject[];
  /** Whether no list can be read. */
  readonly isUnreachable?: boolean;
  /** The objects that there are once a request was taken; the same when left out. */
  readonly afterwards?: readonly FakeObject[];
  /** What the API server answers to a dry run; it takes everything when left out. */
  readonly refuses?: KubernetesError;
  readonly files?: Readonly<Record<string, string>>;
  /** How every request is answered. */
  readonly answer?: RequestAnswer;
  /** Whether no run is open any more when a signal comes. */
  readonly isClosed?: true;
  readonly allowed?: (access: Access, account?: ServiceAccount) => boolean;
  /** Which runs of every workflow Temporal knows. */
  readonly knownRuns?: KnownRuns;
  /** What Temporal lacks. */
  readonly temporal?: TemporalFindings;
  /** The way to okrad where the address of Temporal is not given. */
  readonly throughApi?: Session['throughApi'];
  readonly now?: number;
  /** What the person answers to a question; there is no terminal when left out. */
  readonly answers?: boolean;
}

/** What came of a command. */
export interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  /** What was sent to workflows and written to Kubernetes. */
  readonly done: readonly unknown[];
}

/** Runs a command line against a cluster and a Temporal that are in memory. */
export async function runOkractl(words: readonly string[], world: FakeWorld = {}): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const done: unknown[] = [];
  let code = 0;
  const { now = Date.parse('2026-11-22T10:00:00Z') } = world;
  const shell: Shell = {
    print: (text) => void out.push(`${text}\n`),
    warn: (text) => void err.push(`${text}\n`),
    write: (text) => void out.push(text),
    now: () => now,
    screen: undefined,
    isColoured: (when) => when === 'always',
    signal: new AbortController().signal,
    read: (path) => {
      const text = world.files?.[path];
      return text === undefined ? Promise.reject(new Error(`no file ${path}`)) : Promise.resolve(text);
    },
    filesAt: (path) => Promise.resolve([path]),
    session: ({ namespace }) => ({
      kubernetes: fakeKubernetes(world, done),
      namespace: namespace ?? 'default',
      whoAmI: () => Promise.resolve('ann'),
      identity: () => Promise.resolve({ name: 'ann', groups: ['release', 'system:authenticated'] }),
      may: (access, account) => Promise.resolve(world.allowed?.(access, account) ?? true),
      temporal: { address: '127.0.0.1:7233', namespace: 'default' },
      taskQueue: 'okra',
      leaseNamespace: 'okra',
      temporalUi: undefined,
      docsUrl: undefined,
      operator: () => Promise.resolve(fakeOperator(world, done)),
      throughApi: world.throughApi,
    }),
    exitWith: (next) => {
      code = next;
    },
    confirm:
      world.answers === undefined
        ? undefined
        : (question) => {
            err.push(`${question}\n`);
            return Promise.resolve(world.answers === true);
          },
    browse: (url) => void done.push({ browse: url }),
  };
  try {
    await okractl(shell, '0.0.0').parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) code = error.exitCode === 0 ? 0 : 2;
    else {
      const ending = endingOf(error);
      err.push(`okractl: ${ending.message}\n`);
      ({ code } = ending);
    }
  }
  return { out: out.join(''), err: err.join(''), code, done };
}

/** A cluster that keeps nothing of what is written to it, and notes it. */
function fakeKubernetes(
  { objects = [], afterwards = objects, isUnreachable, answer, refuses }: FakeWorld,
  done: unknown[],
): KubernetesClient {
  const { kubernetes } = memoryCluster(objects);
  const later = memoryCluster(afterwards).kubernetes;
  // What finds no run is asked again by starting one.
  const isTaken = (): boolean => done.length > (answer?.is === 'NotRunning' ? 1 : 0);
  const never = (): never => {
    throw new Error('Expected no such call.');
  };
  return {
    ...kubernetes,
    ...(isUnreachable === true ? { list: never } : {}),
    get: (kind, key) => (isTaken() ? later : kubernetes).get(kind, key),
    serves: (kind) => Promise.resolve(objects.some((object) => isOf(kind, object))),
    create: (object) => {
      done.push({ create: object });
      return Promise.resolve(object);
    },
    patch: (kind, key, patch, options) => {
      done.push({ patch, of: { kind: kind.kind, ...key }, ...options });
      return Promise.resolve(patch as never);
    },
    delete: (kind, key) => {
      done.push({ delete: { kind: kind.kind, ...key } });
      return Promise.resolve();
    },
    snapshot: never,
    apply: (object, options) => {
      if (options?.dryRun !== true) return never();
      return refuses === undefined ? Promise.resolve(object) : Promise.reject(refuses);
    },
  };
}

function fakeOperator(
  {
    answer = { is: 'Taken', message: 'Done.' },
    isClosed,
    knownRuns = { is: 'These' },
    temporal = { missingAttributes: [], unpolled: [] },
  }: FakeWorld,
  done: unknown[],
): Operator {
  const sent = (how: string) => (workflowId: string, name: string, request: SentRequest) => {
    done.push({ [how]: name, workflowId, ...request });
  };
  return {
    ask: (...args) => {
      sent('ask')(...args);
      return Promise.resolve(answer);
    },
    tell: (...args) => {
      sent('tell')(...args);
      return Promise.resolve(isClosed !== true);
    },
    startWith: ({ options, type }, name, request) => {
      done.push({ start: type, workflowId: options.workflowId, signal: name, ...request });
      return Promise.resolve();
    },
    inspect: () => Promise.resolve(temporal),
    knownRuns: () => Promise.resolve(knownRuns),
    weights: () => Promise.resolve({ told: [], versions: {} }),
    close: () => Promise.resolve(),
  };
}
