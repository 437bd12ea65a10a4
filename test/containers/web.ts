import type { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';

import { cellFor } from '../../local/demo/objects.ts';

/** The Cell of the demo, with one step that waits for a person. */
export function cellThatPauses(listenerARN: string): object {
  const made = cellFor(listenerARN) as { readonly spec: object };
  const canary = { steps: [{ setWeight: 20 }, { pause: {} }] };
  return { ...made, spec: { ...made.spec, replicas: 1, updateStrategy: { type: 'Canary', canary } } };
}

/** The weights that the rules of a listener give to target groups, by their names. */
export async function weightsOf(
  elbv2: ElasticLoadBalancingV2,
  listenerARN: string,
): Promise<Readonly<Record<string, number>>> {
  const { Rules = [] } = await elbv2.describeRules({ ListenerArn: listenerARN });
  const forwarded = Rules.flatMap(({ Actions = [] }) => Actions[0]?.ForwardConfig?.TargetGroups ?? []);
  return Object.fromEntries(
    forwarded.map(({ TargetGroupArn = '', Weight = 0 }) => [TargetGroupArn.split('/')[1] ?? '', Weight]),
  );
}
