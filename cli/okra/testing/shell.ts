import { CommanderError } from 'commander';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { EKSCluster } from '../../../clients/aws/eks.ts';
import type { Reach, StoredClusterSecret } from '../../../clients/kubernetes/remote-clusters.ts';
import { endingOf } from '../../okractl/shell.ts';
import { loadConfig } from '../../../config/config.ts';
import { noLimits } from '../dry-run.ts';
import { okra } from '../program.ts';
import type { OkraSession } from '../shell.ts';
import { memoryCluster, type FakeObject } from '../../testing/memory-cluster.ts';

export type { FakeObject } from '../../testing/memory-cluster.ts';

/** What is around a command in a test. */
export interface FakeWorld {
  readonly objects?: readonly FakeObject[];
  /** What there is in the clusters that secrets name, by the names of the secrets. */
  readonly remote?: Readonly<Record<string, readonly FakeObject[]>>;
  readonly eksClusters?: readonly EKSCluster[];
  readonly elbv2?: ELBv2;
  readonly now?: number;
  /** Told of each status that is written. */
  readonly reported?: (object: FakeObject) => void;
  /** What others write once the objects of the Cell were looked at. */
  readonly meanwhile?: ((objects: readonly FakeObject[]) => readonly FakeObject[]) | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

/** What came of a command, and the objects that there are then. */
export interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  readonly objects: readonly FakeObject[];
  readonly remote: Readonly<Record<string, readonly FakeObject[]>>;
}

/** Runs a command line of okra against a cluster in memory. */
export async function runOkra(words: readonly string[], world: FakeWorld = {}): Promise<Outcome> {
  const said = { out: '', err: '', code: 0 };
  const cluster = memoryCluster(world.objects ?? [], world);
  const remotes = new Map(
    Object.entries(world.remote ?? {}).map(([name, objects]) => [name, memoryCluster(objects)]),
  );
  const reach = ({ metadata: { name } }: StoredClusterSecret): Reach => {
    const client = remotes.get(name)?.kubernetes;
    return client === undefined
      ? { is: 'Problem', problem: `Expected cluster ${name} to answer, got nothing.` }
      : { is: 'Client', name, namespaces: [], client };
  };
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
      config: loadConfig({
        AWS_REGION: region ?? 'ap-northeast-1',
        OKRA_GRACE_PERIOD: '0',
        ...world.environment,
      }),
      clusters: { reach, keep: () => undefined },
      elbv2: Object.assign(() => world.elbv2 ?? never(), { inRegion: never }),
      eks: () => ({
        clusters: () => Promise.resolve({ clusters: world.eksClusters ?? [], denied: [] }),
        account: () => Promise.resolve('111122223333'),
        named: never,
      }),
      limits: noLimits,
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
  const remote = Object.fromEntries([...remotes].map(([name, one]) => [name, one.objects()]));
  return { ...said, objects: cluster.objects(), remote };
}

const never = (): never => {
  throw new Error('Expected nobody to call this.');
};
