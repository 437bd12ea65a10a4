import { randomUUID } from 'node:crypto';
import { CELL } from '../../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../../crds/cell.ts';
import { createListener, createTargetGroup, elbv2Of } from '../../aws-fixture.ts';
import { forEach, upTo } from '../each.ts';
import { watchObjects } from '../../watched.ts';
import type { Ground } from '../world.ts';

/** Where the Cells are. */
export const BENCH_NAMESPACE = 'default';
const apiVersion = 'okra.mumo.co/v1alpha1';

/** A load balancer of one listener has room for 100 target groups (Elastic Load Balancing quotas), of which a rollout takes up to three. */
const RULES_PER_LISTENER = 30;

/** One step of a canary. */
export type Step = { readonly setWeight: number } | { readonly pause: object };

/** A weight after another without a pause, for as long as can be. */
export const everyWeight: readonly Step[] = upTo(98).map((index) => ({ setWeight: index + 1 }));

/** A Cell that is to be made. */
export interface NewCell {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Cells whose rollouts are measured, until it is disposed of; each has a rule of its own, and a target group for each version. */
export interface BenchCells extends AsyncDisposable {
  /** Makes Cells that serve their first version, and waits until they do. */
  install(cells: readonly NewCell[]): Promise<void>;
  /** Makes a target group of a newer version, which begins a rollout; answers with its ARN. */
  bring(name: string, version: string): Promise<string>;
  /** Waits until Cells are as wanted; answers with the time, in milliseconds since 1970. */
  until(what: string, names: readonly string[], isReached: (cell: Cell) => boolean): Promise<number>;
}

/** Prepares for Cells: listeners, as many as they need, and a watch, which tells of them without asking again and again. */
export function benchCells({ stack, management, signal }: Ground): BenchCells {
  const elbv2 = elbv2Of(stack);
  const watched = watchObjects<Cell>({
    kubernetes: management,
    kind: CELL,
    namespace: BENCH_NAMESPACE,
    signal,
    longestMilliseconds: LONGEST_MILLISECONDS,
    clock: Date.now,
  });
  const listeners: Promise<string>[] = [];
  const made: string[] = [];
  let count = 0;
  const nextRule = async (): Promise<Rule> => {
    const [index, priority] = [Math.floor(count / RULES_PER_LISTENER), (count % RULES_PER_LISTENER) + 1];
    count += 1;
    const create = async (): Promise<string> =>
      (await createListener(elbv2, `bench-${randomUUID().slice(0, 8)}`)).listenerArn;
    return { listenerARN: await (listeners[index] ??= create()), priority };
  };
  const bring: BenchCells['bring'] = async (name, version) => {
    const { arn } = await createTargetGroup(elbv2, `${name}-${version.replaceAll('.', '-')}`);
    await management.create(groupOf(name, version, arn));
    return arn;
  };
  const until: BenchCells['until'] = (what, names, isReached) => {
    const left = new Set(names);
    return watched.until(
      (cells) => {
        for (const name of left) {
          const cell = cells.get(name);
          if (cell !== undefined && isReached(cell)) left.delete(name);
        }
        return left.size === 0;
      },
      () => `Expected ${what}, got ${left.size} Cells that are not.`,
    );
  };
  const remove = async (): Promise<void> => {
    await forEach(made, (name) => management.delete(CELL, { namespace: BENCH_NAMESPACE, name }));
    await watched.until(
      (cells) => made.every((name) => !cells.has(name)),
      () => 'Expected the Cells to go when they are deleted, got some that stay.',
    );
  };
  return {
    bring,
    until,
    install: async (cells) => {
      await forEach(cells, async ({ name, steps }) => {
        await bring(name, '1.0.0');
        made.push(name);
        await management.create(cellOf(name, steps, await nextRule()));
      });
      const names = cells.map(({ name }) => name);
      await until('the Cells to serve', names, serves('1.0.0'));
    },
    [Symbol.asyncDispose]: async () => {
      // What still rolls out would take its part of what is measured next.
      if (!signal.aborted) await remove();
      elbv2.destroy();
      await watched[Symbol.asyncDispose]();
    },
  };
}

interface Rule {
  readonly listenerARN: string;
  readonly priority: number;
}

const LONGEST_MILLISECONDS = 280_000;

/** Whether a Cell serves a version, and nothing else is under way. */
export const serves =
  (version: string) =>
  ({ status }: Cell): boolean =>
    status?.stableVersion === version && status.phase === 'Completed';

/** The name of the target group of a version. */
export const groupNameOf = (name: string, version: string): string => `${name}-${version}`;

const groupOf = (name: string, version: string, arn: string) => ({
  apiVersion,
  kind: 'AWSTargetGroup',
  metadata: {
    namespace: BENCH_NAMESPACE,
    name: groupNameOf(name, version),
    labels: { role: name, 'okra.mumo.co/version': version },
  },
  spec: { arn },
});

const cellOf = (name: string, steps: readonly Step[], { listenerARN, priority }: Rule) => ({
  apiVersion,
  kind: 'Cell',
  metadata: { namespace: BENCH_NAMESPACE, name },
  spec: {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN,
        listener: { rule: { hosts: [`${name}.example.com`], priority, forward: {} } },
        targetGroupSelector: { matchLabels: { role: name } },
      },
    },
    replicas: 1,
    // The local load balancer follows at once.
    settle: '0s',
    updateStrategy: { type: 'Canary', canary: { steps } },
  },
});
