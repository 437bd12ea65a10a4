import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { proxyControl } from '../../elbv2-proxy/control.ts';
import { createListener, createTargetGroup } from '../aws-fixture.ts';
import type { Stack } from '../stack.ts';
import { waitFor } from '../wait.ts';
import { upTo } from './each.ts';

const NAMESPACE = 'default';
const STEPS = 98;

/** Cells behind one listener, whose rollouts take a weight after another without a pause. */
export interface RollingCells {
  /** Makes a Cell that serves its first version. */
  install(name: string): Promise<void>;
  /** Begins the rollout of the second version. */
  roll(name: string): Promise<void>;
  /** Waits for a write of weights that was begun after a moment; answers with that time, in milliseconds since 1970. */
  writtenAfter(name: string, since: number): Promise<number>;
  /** Ends the rollout. */
  remove(name: string): Promise<void>;
}

/** Prepares a listener for Cells. */
export async function rollingCells(
  { aws, proxyControl: control }: Stack,
  management: KubernetesClient,
  signal: AbortSignal,
): Promise<RollingCells> {
  const { region, endpoint } = aws;
  const elbv2 = new ElasticLoadBalancingV2({
    region,
    endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const { listenerArn } = await createListener(elbv2, 'rolling');
  const calls = proxyControl(control);
  const groups = new Map<string, string>();
  let cells = 0;
  const group = async (name: string, version: string): Promise<void> => {
    const { arn } = await createTargetGroup(elbv2, `${name}-v${version[0]}`);
    groups.set(name, arn);
    await management.create(groupOf(name, version, arn));
  };
  return {
    install: async (name) => {
      cells += 1;
      await group(name, '1.0.0');
      await management.create(cellOf(name, listenerArn, cells));
      const patience = { what: `${name} to serve`, timeoutMillis: 60_000, signal };
      await waitFor(patience, async () => {
        const cell = await management.get<Cell>(CELL, { namespace: NAMESPACE, name });
        return cell?.status?.phase === 'Completed' ? true : undefined;
      });
    },
    roll: (name) => group(name, '2.0.0'),
    writtenAfter: (name, since) =>
      waitFor(
        { what: `a weight of ${name}`, timeoutMillis: 60_000, intervalMillis: 25, signal },
        async () => {
          const about = await calls.calls({ targetGroup: groups.get(name) ?? '', action: 'ModifyRule' });
          return about.find(({ applied, startedAt }) => applied && startedAt > since)?.endedAt;
        },
      ),
    remove: async (name) => {
      await management.delete(AWS_TARGET_GROUP, { namespace: NAMESPACE, name: `${name}-2.0.0` });
      await management.delete(CELL, { namespace: NAMESPACE, name });
    },
  };
}

const apiVersion = 'okra.mumo.co/v1alpha1';

const groupOf = (name: string, version: string, arn: string) => ({
  apiVersion,
  kind: 'AWSTargetGroup',
  metadata: {
    namespace: NAMESPACE,
    name: `${name}-${version}`,
    labels: { role: name, 'okra.mumo.co/version': version },
  },
  spec: { arn },
});

const cellOf = (name: string, listenerARN: string, priority: number) => ({
  apiVersion,
  kind: 'Cell',
  metadata: { namespace: NAMESPACE, name },
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
    updateStrategy: {
      type: 'Canary',
      canary: { steps: upTo(STEPS).map((index) => ({ setWeight: index + 1 })) },
    },
  },
});
