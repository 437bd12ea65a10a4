import { CELL_NAME, priorities, type DemoCluster } from './story.ts';

/** A cluster of the demo that there is, with the ARN of its target group. */
export interface BroughtCluster extends DemoCluster {
  readonly targetGroupARN: string;
}

/** What Datadog is asked about a cluster. */
export const errorRateOf = (cluster: string): string =>
  `avg:trace.http.request.error_rate{cluster:${cluster}}`;

const checks = [
  {
    name: 'dd',
    analysis: {
      query: errorRateOf('{{.Vars.clusterName}}'),
      aggregator: 'avg',
      max: 0.1,
      // As often as someone who looks on wants to wait.
      interval: '1s',
      window: '40s',
      bucket: '20s',
      lag: '0s',
      alignTo: 'none',
    },
  },
];

const argocd = (role: DemoCluster['role'], type = 'CreateBeforeDelete') => ({
  clusterSecret: { labels: { 'myservice-role': role } },
  applicationSet: { name: role },
  updateStrategy: { type },
});

const albOf = (listenerARN: string, name: keyof typeof priorities, stepWeight: number) => ({
  listenerARN,
  forwardConfig: {
    priority: priorities[name],
    hosts: [`${name}.example.com`],
    targetGroup: { arnFromLabel: 'targetGroupARN' },
  },
  updateStrategy: { stepWeight, totalWeight: 100 },
});

/** The Cell of the demo, that of the source, with real ARNs. */
export const applicationsCell = (listenerARN: string, clusters: readonly BroughtCluster[]): object => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Cell',
  metadata: { name: CELL_NAME },
  spec: {
    clusters: clusters.map(({ name, role, targetGroupARN }) => ({
      name,
      eks: {},
      labels: { role, targetGroupARN },
    })),
    applications: [
      {
        name: 'web',
        clusterSelector: { matchEKSTags: { role: 'web' } },
        argocd: argocd('web'),
        alb: albOf(listenerARN, 'web', 20),
        checks,
      },
      {
        name: 'api',
        clusterSelector: { role: 'api' },
        argocd: argocd('api'),
        alb: albOf(listenerARN, 'api', 100),
        checks,
      },
      {
        name: 'backgroundjobs',
        clusterSelector: { role: 'backgroundjobs' },
        argocd: argocd('backgroundjobs', 'DeleteBeforeCreate'),
        prechecks: [{ name: 'run-test', job: { template: { spec: { image: 'test', command: ['true'] } } } }],
      },
    ],
    // The local load balancer follows at once, and nobody wants to wait for a minute here.
    settle: '0s',
    rollbackDelay: '3s',
  },
});
