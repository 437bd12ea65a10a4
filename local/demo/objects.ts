import { steps } from './story.ts';

/** The name of the demo's Cell. */
export const CELL_NAME = 'web';

/** The Cell of the demo: pairs of clusters behind one rule of a listener. */
export const cellFor = (listenerARN: string): object => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Cell',
  metadata: { name: CELL_NAME },
  spec: {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN,
        listener: { rule: { hosts: ['example.com'], priority: 10, forward: {} } },
        targetGroupSelector: { matchLabels: { role: 'web' } },
      },
    },
    replicas: 2,
    // The local load balancer follows at once.
    settle: '0s',
    updateStrategy: { type: 'Canary', canary: { steps } },
  },
});

/** The AnalysisTemplate of the demo: of 100 requests at least 95 must be answered well, twice in a row. */
export const analysisTemplateFor = (url: string): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'success-rate' },
  spec: {
    args: [{ name: 'cluster-version' }],
    metrics: [
      {
        name: 'success-rate',
        interval: '1s',
        count: 2,
        successCondition: 'result >= 95',
        provider: { web: { url: `${url}?version={{args.cluster-version}}`, jsonPath: '{$.rate}' } },
      },
    ],
  },
});

/** The AWSTargetGroups of one version. */
export const targetGroupsFor = (
  version: string,
  groups: readonly { name: string; arn: string }[],
): object => ({
  apiVersion: 'v1',
  kind: 'List',
  items: groups.map(({ name, arn }) => ({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSTargetGroup',
    metadata: { name, labels: { role: 'web', 'okra.mumo.co/version': version } },
    spec: { arn },
  })),
});
