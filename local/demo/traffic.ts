import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  paginateDescribeRules,
  type ElasticLoadBalancingV2,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { quality } from './story.ts';

/** Weights by the names of the target groups. */
export type Weights = Readonly<Record<string, number>>;

/** The target groups of the demo: their names and versions by ARN. */
export type Groups = ReadonlyMap<string, { readonly name: string; readonly version: string }>;

/** Reads what the rule of the demo forwards to from ELBv2 itself; empty while there is no rule. */
export async function readWeights(
  elbv2: ElasticLoadBalancingV2,
  listenerArn: string,
  groups: Groups,
): Promise<Weights> {
  for await (const page of paginateDescribeRules({ client: elbv2 }, { ListenerArn: listenerArn })) {
    const rule = page.Rules?.find((one) => one.IsDefault !== true);
    if (rule === undefined) continue;
    const forwarded = rule.Actions?.[0]?.ForwardConfig?.TargetGroups ?? [];
    return Object.fromEntries(
      forwarded.map(({ TargetGroupArn: arn = '', Weight: weight = 0 }) => [
        groups.get(arn)?.name ?? arn,
        weight,
      ]),
    );
  }
  return {};
}

/** The share of requests that are answered well, in percent, when traffic follows these weights. */
export function successRate(weights: Weights, groups: Groups): number {
  const versions = new Map([...groups.values()].map(({ name, version }) => [name, version]));
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return 100;
  const good = Object.entries(weights).map(
    ([name, weight]) => weight * (quality[versions.get(name) ?? ''] ?? 100),
  );
  return good.reduce((sum, one) => sum + one, 0) / total;
}

/** Serves the success rate of the demo's traffic as JSON on a free port; it follows the weights that ELBv2 serves. */
export async function serveTraffic(
  weights: () => Promise<Weights>,
  groups: Groups,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_, response) => {
    weights().then(
      (now) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ rate: successRate(now, groups) })),
      () => response.writeHead(503).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
