const listenerARN =
  'arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/demo/0123456789abcdef/0123456789abcdef';
const analysis = { query: 'q', aggregator: 'avg', max: 0.1 };
/** A Job that runs an image. */
export const job = { template: { spec: { image: 'a' } } };

/** A listener rule of an application. */
export const ruleAt = (priority: number): object => ({
  listenerARN,
  forwardConfig: { priority, targetGroup: { targetgroupBindingSelector: 'svc=web' } },
  updateStrategy: { stepWeight: 50, totalWeight: 100 },
});

/** An application behind a load balancer, on the clusters with the role web. */
export const web = (more: object = {}): object => ({
  name: 'web',
  clusterSelector: { role: 'web' },
  argocd: { clusterSecret: { labels: { app: 'web' } }, applicationSet: { name: 'web' } },
  alb: ruleAt(10),
  checks: [{ name: 'dd', analysis }],
  ...more,
});
/** An application without one, which deletes before it creates, on the clusters with the role jobs. */
export const jobs = (more: object = {}): object => ({
  name: 'jobs',
  clusterSelector: { role: 'jobs' },
  argocd: {
    clusterSecret: { labels: { app: 'jobs' } },
    applicationSet: { selector: 'svc=jobs' },
    updateStrategy: { type: 'DeleteBeforeCreate' },
  },
  prechecks: [{ name: 'run-test', job }],
  ...more,
});
/** Clusters, with the role that their name begins with. */
export const clusters = (...names: string[]): object[] =>
  names.map((name) => ({ name, labels: { role: name.split('-')[0] } }));

/** An application that Argo CD deploys by a label of its own, on the clusters for it. */
export const labelled = (name: string, app = name): object =>
  web({
    name,
    clusterSelector: { for: name },
    argocd: { clusterSecret: { labels: { app } } },
    alb: undefined,
    checks: undefined,
  });

/** Clusters, with the application that each is for. */
export const clustersFor = (those: Readonly<Record<string, string>>): object[] =>
  Object.entries(those).map(([name, application]) => ({ name, labels: { for: application } }));
