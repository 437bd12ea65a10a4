import { CommanderError } from 'commander';
import type { EKSCluster } from '../../../clients/aws/eks.ts';
import { kindOf, type KindRef } from '../../../clients/kubernetes/kinds.ts';
import { KubernetesError, type Key, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { loadConfig } from '../../../config.ts';
import { fieldsIn } from '../../../domain/model/shape.ts';
import { endingOf } from '../../okractl/exit.ts';
import { everGranted } from '../dry-run.ts';
import { okra } from '../program.ts';
import type { OkraSession } from '../shell.ts';

/** An object of the fake cluster. */
export interface FakeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** What is around a command in a test. */
export interface FakeWorld {
  readonly objects?: readonly FakeObject[];
  readonly eksClusters?: readonly EKSCluster[];
  readonly now?: number;
}

/** What came of a command, and the objects that there are then. */
export interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  readonly objects: readonly FakeObject[];
}

/** Runs a command line of okra against a cluster in memory. */
export async function runOkra(words: readonly string[], world: FakeWorld = {}): Promise<Outcome> {
  const said = { out: '', err: '', code: 0 };
  const cluster = memoryCluster(world.objects ?? []);
  const shell = {
    print: (text: string) => void (said.out += `${text}\n`),
    warn: (text: string) => void (said.err += `${text}\n`),
    write: (text: string) => void (said.out += text),
    now: () => world.now ?? Date.parse('2026-11-22T10:00:00Z'),
    signal: new AbortController().signal,
    read: () => Promise.reject(new Error('Expected no file to be read.')),
    filesAt: () => Promise.resolve([]),
    exitWith: (code: number) => void (said.code = code),
    session: ({ namespace = 'default', region }: { namespace?: string; region?: string }): OkraSession => ({
      kubernetes: cluster.kubernetes,
      namespace,
      config: loadConfig({ AWS_REGION: region ?? 'ap-northeast-1', OKRA_GRACE_PERIOD: '0' }),
      clusters: { reach: never, keep: () => undefined },
      elbv2: Object.assign(never, { inRegion: never }),
      eks: () => ({
        clusters: () => Promise.resolve({ clusters: world.eksClusters ?? [], denied: [] }),
        account: () => Promise.resolve('111122223333'),
        named: never,
      }),
      budgets: everGranted,
    }),
  };
  try {
    await okra(shell, '0.0.0').parseAsync([...words], { from: 'user' });
  } catch (error) {
    const { message, code } =
      error instanceof CommanderError ? { message: '', code: error.exitCode === 0 ? 0 : 2 } : endingOf(error);
    said.err += message;
    said.code = code;
  }
  return { ...said, objects: cluster.objects() };
}

const never = (): never => {
  throw new Error('Expected nobody to call this.');
};

function memoryCluster(objects: readonly FakeObject[]): {
  readonly kubernetes: KubernetesClient;
  readonly objects: () => readonly FakeObject[];
} {
  const idOf = ({ kind }: KindRef, { namespace = '', name }: Key): string => `${kind} ${namespace}/${name}`;
  const all = new Map(objects.map((object) => [idOf(kindOf(object), object.metadata), object]));
  let versions = 0;
  const put = (object: FakeObject): FakeObject => {
    versions += 1;
    const { metadata } = object;
    const stored = {
      ...object,
      metadata: {
        uid: `uid-${metadata.name}`,
        generation: 1,
        ...metadata,
        resourceVersion: String(versions),
      },
    };
    all.set(idOf(kindOf(object), metadata), stored);
    return stored;
  };
  const hasLabels = (object: FakeObject, selector = ''): boolean =>
    selector
      .split(',')
      .filter((term) => term !== '')
      .every((term) => {
        const [key = '', value] = term.split('=');
        return object.metadata.labels?.[key] === value;
      });
  const kubernetes: Partial<Record<keyof KubernetesClient, unknown>> = {
    get: (kind: KindRef, key: Key) => Promise.resolve(all.get(idOf(kind, key))),
    list: (kind: KindRef, { labelSelector }: { labelSelector?: string } = {}) =>
      Promise.resolve(
        [...all.values()].filter((one) => one.kind === kind.kind && hasLabels(one, labelSelector)),
      ),
    serves: () => Promise.resolve(true),
    create: (object: FakeObject) =>
      all.has(idOf(kindOf(object), object.metadata))
        ? Promise.reject(
            new KubernetesError({ status: 409, reason: 'AlreadyExists', message: 'It is there already.' }),
          )
        : Promise.resolve(put(object)),
    apply: (object: FakeObject) => {
      const before = all.get(idOf(kindOf(object), object.metadata));
      return Promise.resolve(
        put({ ...before, ...object, metadata: { ...before?.metadata, ...object.metadata } }),
      );
    },
    patch: (kind: KindRef, key: Key, patch: object) => {
      const before = all.get(idOf(kind, key));
      const merged = fieldsIn(mergedWith(before, patch));
      return Promise.resolve(put(merged as unknown as FakeObject));
    },
    delete: (kind: KindRef, key: Key) => Promise.resolve(void all.delete(idOf(kind, key))),
    snapshot: never,
    watch: never,
  };
  return { kubernetes: kubernetes as KubernetesClient, objects: () => [...all.values()] };
}

/** A JSON merge patch, as the API server applies it. */
function mergedWith(before: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = { ...fieldsIn(before) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergedWith(merged[key], value);
  }
  return merged;
}
