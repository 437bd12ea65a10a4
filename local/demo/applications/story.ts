/** The Cell of this demo. */
export const CELL_NAME = 'mysystem';

/** The rule priorities of the applications that a load balancer is in front of. */
export const priorities = { web: 10, api: 11 } as const;

/** A cluster of the demo: the application that it is for, and its version. */
export interface DemoCluster {
  readonly name: string;
  readonly role: 'web' | 'api' | 'backgroundjobs';
  /** How many of its requests fail, of 1, once it has 40 of 100. */
  readonly errorRate: number;
}

const web = (index: number, version: number, errorRate = 0.01): DemoCluster => ({
  name: `mycluster-web-${index}-v${version}`,
  role: 'web',
  errorRate,
});

const api: DemoCluster = { name: 'mycluster-api-v1', role: 'api', errorRate: 0 };
const jobs = (version: number): DemoCluster => ({
  name: `mycluster-backgroundjobs-v${version}`,
  role: 'backgroundjobs',
  errorRate: 0,
});

/** One chapter: the clusters that the Cell lists, and what has to come of it. */
export interface ApplicationsChapter {
  readonly title: string;
  readonly clusters: readonly DemoCluster[];
  readonly phase: 'Completed' | 'Reverted';
  /** How the traffic of web is divided, in order: among the clusters of each version that has some. */
  readonly weights: readonly Readonly<Record<string, number>>[];
  /** Cluster secrets that come and go, in order. */
  readonly secrets: readonly string[];
  /** What Argo CD deploys and deletes on clusters, in order. */
  readonly deployed: readonly string[];
}

const comes = (...names: readonly string[]): readonly string[] => names.map((name) => `+ ${name}`);
const goes = (...names: readonly string[]): readonly string[] => names.map((name) => `- ${name}`);
const pair = (version: number): [string, string] => [web(1, version).name, web(2, version).name];
/** What an application has on clusters. */
const on = (application: string, ...clusters: readonly string[]): string[] =>
  clusters.map((cluster) => `${application} on ${cluster}`);
const shift = (from: number, to: number, canary: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [
      [`v${from}`, 100 - canary],
      [`v${to}`, canary],
    ].filter(([, weight]) => weight !== 0),
  );

/** What the demo shows, and is held against. */
export const chapters: readonly ApplicationsChapter[] = [
  {
    title:
      'Four clusters, and web, api and backgroundjobs on them: nothing serves yet, so each gets everything at once',
    clusters: [web(1, 1), web(2, 1), api, jobs(1)],
    phase: 'Completed',
    weights: [{ v1: 100 }],
    secrets: comes(...pair(1), api.name, jobs(1).name),
    deployed: comes(...on('web', ...pair(1)), ...on('api', api.name), ...on('backgroundjobs', jobs(1).name)),
  },
  {
    title:
      'web moves to two new clusters: secrets, then 20 of 100 after each check, and last the old secrets go',
    clusters: [web(1, 2), web(2, 2), api, jobs(1)],
    phase: 'Completed',
    weights: [0, 20, 40, 60, 80, 100].map((canary) => shift(1, 2, canary)),
    secrets: [...comes(...pair(2)), ...goes(...pair(1))],
    deployed: [...comes(...on('web', ...pair(2))), ...goes(...on('web', ...pair(1)))],
  },
  {
    title: 'web moves again, and the check finds 20 errors in 100 requests at weight 40: all is taken back',
    clusters: [web(1, 3, 0.2), web(2, 3, 0.2), api, jobs(1)],
    phase: 'Reverted',
    weights: [0, 20, 40, 0].map((canary) => shift(2, 3, canary)),
    secrets: [...comes(...pair(3)), ...goes(...pair(3))],
    deployed: [...comes(...on('web', ...pair(3))), ...goes(...on('web', ...pair(3)))],
  },
  {
    title:
      'web is asked for as before, and backgroundjobs moves: it must not run twice, so the old one goes first',
    clusters: [web(1, 2), web(2, 2), api, jobs(2)],
    phase: 'Completed',
    weights: [{ v2: 100 }],
    secrets: [...goes(jobs(1).name), ...comes(jobs(2).name)],
    deployed: [
      ...goes(...on('backgroundjobs', jobs(1).name)),
      ...comes(...on('backgroundjobs', jobs(2).name)),
    ],
  },
];
