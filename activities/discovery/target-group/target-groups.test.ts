import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { KubernetesError } from '../../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup, AWSTargetGroupStatus } from '../../../crds/aws-target-group.ts';
import { targetGroupActivities } from './target-groups.ts';

const arn = 'arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web/4567';
const conflict = new KubernetesError({ status: 409, reason: 'Conflict', message: 'It has changed.' });

/** A namespace with one AWSTargetGroup, in an API server that compares versions. */
class World {
  status: AWSTargetGroupStatus | undefined;
  version = 1;
  /** The version in the tags of the target group. */
  tagged = '1.0.0';
  /** What there is beside it. */
  others: readonly object[] = [];
  /** What happens once on the way of the next status. */
  onTheWay: (() => Promise<unknown>) | undefined;

  get group(): AWSTargetGroup {
    const metadata = { namespace: 'shop', name: 'web', uid: 'u', generation: 1 };
    return {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSTargetGroup',
      metadata: { ...metadata, resourceVersion: `${this.version}` },
      spec: { arn },
      ...(this.status === undefined ? {} : { status: this.status }),
    };
  }

  readonly #kubernetes = {
    list: ({ kind }: { kind: string }) =>
      Promise.resolve(kind === 'AWSTargetGroup' ? [this.group, ...this.others] : []),
    snapshot: () => Promise.resolve({ items: [] }),
    apply: async ({ metadata, status }: Pick<AWSTargetGroup, 'metadata' | 'status'>) => {
      const { onTheWay } = this;
      this.onTheWay = undefined;
      await onTheWay?.();
      if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== `${this.version}`)
        throw conflict;
      this.version += 1;
      this.status = status;
    },
  };
  readonly #activities = targetGroupActivities({
    kubernetes: this.#kubernetes as never,
    elbv2: () => ({
      targetGroups: () => Promise.resolve([{ TargetGroupArn: arn, Protocol: 'HTTP' }]),
      tagsOfGroups: () => Promise.resolve(new Map([[arn, { version: this.tagged }]])),
    }),
  });

  check(): Promise<unknown> {
    const context = { info: { attempt: 1 }, cancellationSignal: new AbortController().signal };
    // The context is a class that only a worker makes; these are the parts that are used.
    return asyncLocalStorage.run(context as unknown as Context, () =>
      this.#activities.checkTargetGroups('shop'),
    );
  }
}

it('writes no version by which Cells go over one that was read from AWS later', async () => {
  const world = new World();
  world.onTheWay = () => {
    world.tagged = '2.0.0';
    return world.check();
  };
  await expect(world.check()).rejects.toThrow('It has changed.');
  expect(world.status?.version).toBe('2.0.0');
});

it('tells of a target group that is labelled meanwhile by the next attempt', async () => {
  const world = new World();
  world.onTheWay = () => Promise.resolve((world.version += 1));
  await expect(world.check()).rejects.toThrow('It has changed.');
  await world.check();
  expect(world.status?.version).toBe('1.0.0');
});

it('asks about the target groups of the others beside an AWSTargetGroup that names no ARN', async () => {
  const world = new World();
  world.others = [{ metadata: { namespace: 'shop', name: 'odd', uid: 'o' } }];
  await world.check();
  expect(world.status?.version).toBe('1.0.0');
});
