/** The lowest Go that compiles every pinned module. */
export const lowestGo = '1.26.1';

/** The lowest Node on which bootstrap runs; the project itself runs on the Node in node_modules. */
export const lowestNode = '20.12.0';

/** The lowest Python that the pinned moto accepts. */
export const lowestPython = '3.10.0';

/** The pinned version of moto, whose whole closure stands in requirements.txt. */
export const motoVersion = '5.2.5';

const full = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'job-runner',
  'temporal',
  'argo-rollouts',
  'moto',
  'elbv2-proxy',
];

/**
 * The sets of components that the commands start, named here and nowhere else: nothing that what they show does without.
 * @type {{ demo: readonly string[], staged: readonly string[], applications: readonly string[], full: readonly string[] }}
 */
export const componentSets = {
  demo: ['etcd', 'kube-apiserver', 'temporal', 'argo-rollouts', 'moto', 'elbv2-proxy'],
  staged: ['etcd', 'kube-apiserver', 'temporal'],
  applications: full.filter((name) => name !== 'argo-rollouts'),
  full,
};

/**
 * What deploys to clusters by their secrets: started in a namespace of a stack that asks for it, and not with each stack.
 * @type {readonly string[]}
 */
export const argoCD = ['argocd-applicationset-controller'];

/**
 * What deploys and deletes for real: Argo CD with its application controller and repo-server, which take minutes to build.
 * @type {readonly string[]}
 */
export const deployingArgoCD = ['argocd'];

/**
 * What the tests use besides a stack: the chart is rendered by Helm itself, PromQL computed by Prometheus, and a newer Temporal has runs change their version.
 * @type {readonly string[]}
 */
export const testTools = ['helm', 'prometheus', 'promtool', 'temporal-server', ...argoCD];

/**
 * What the images that stand in for those of docker-compose.yml contain.
 * @type {readonly string[]}
 */
export const serviceTools = [
  'etcd',
  'kube-apiserver',
  'kubectl',
  'temporal',
  'temporal-sql-server',
  'temporal-sql-tool',
];

/**
 * What the tests with containers use: a real kubelet, the chart as Helm installs it, all of Argo CD, and docker-compose.yml.
 * @type {readonly string[]}
 */
export const containerTools = ['helm', 'kubelet', ...deployingArgoCD, ...serviceTools];

/** @type {Record<string, readonly string[]>} */
const toolsOfComponent = {
  'kube-apiserver': ['kube-apiserver', 'kubectl'],
  'argo-rollouts': ['rollouts-controller'],
  'elbv2-proxy': [],
  'job-runner': [],
};

/** @type {Record<string, readonly string[]>} */
const needsOfComponent = {
  'kube-apiserver': ['etcd'],
  'kube-controller-manager': ['kube-apiserver'],
  'kube-scheduler': ['kube-apiserver'],
  kwok: ['kube-apiserver'],
  'job-runner': ['kwok'],
  'argo-rollouts': ['kube-apiserver'],
  'elbv2-proxy': ['moto'],
};

/**
 * Adds to the given components those that they cannot do without; refuses a name that it does not know.
 * @param {readonly string[]} components
 * @returns {string[]}
 */
export function withNeeds(components) {
  for (const name of components) {
    if (!componentSets.full.includes(name)) {
      throw new Error(`Expected a component out of ${componentSets.full.join(', ')}, got ${name}.`);
    }
  }
  const needs = components.flatMap((name) => needsOfComponent[name] ?? []);
  return [...new Set([...(needs.length > 0 ? withNeeds(needs) : []), ...components])];
}

/**
 * Names the tools that the given components need, each once.
 * @param {readonly string[]} components
 * @returns {string[]}
 */
export function toolsFor(components) {
  return [...new Set(withNeeds(components).flatMap((name) => toolsOfComponent[name] ?? [name]))];
}
