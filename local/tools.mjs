/**
 * @typedef {object} GoTool
 * @property {string} version Pinned version, without a leading v.
 * @property {string} module Folder below `modules/` whose go.mod pins it.
 * @property {string} package Go package of the command.
 * @property {string} ldflags What the linker sets, so that the tool reports its version.
 * @property {string[]} versionArguments How the tool is asked for its version.
 * @property {'same-minor' | 'one-minor' | 'exact'} fit Which other versions do as well.
 * @property {boolean} fromPath Whether an installed copy may be used.
 * @property {string} [crdsOf] Go module whose `manifests/crds` are kept beside the binary.
 */

const kubernetes = '1.36.3';
const kubernetesFlags = [
  `-X k8s.io/component-base/version.gitVersion=v${kubernetes}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=v${kubernetes}`,
].join(' ');

/**
 * @param {string} command
 * @param {Partial<GoTool>} [differences]
 * @returns {GoTool}
 */
const kubernetesTool = (command, differences = {}) => ({
  version: kubernetes,
  module: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${command}`,
  ldflags: kubernetesFlags,
  versionArguments: ['--version'],
  fit: 'same-minor',
  fromPath: true,
  ...differences,
});

/**
 * Every tool that Go builds, in the order in which builds start: the longest first.
 * @type {Record<string, GoTool>}
 */
export const goTools = {
  'kube-apiserver': kubernetesTool('kube-apiserver'),
  temporal: {
    version: '1.5.1',
    module: 'temporal',
    package: 'github.com/temporalio/cli/cmd/temporal',
    ldflags: '-X github.com/temporalio/cli/temporalcli.Version=1.5.1',
    versionArguments: ['--version'],
    fit: 'same-minor',
    fromPath: true,
  },
  'rollouts-controller': {
    version: '1.10.1',
    module: 'argo-rollouts',
    package: 'github.com/argoproj/argo-rollouts/cmd/rollouts-controller',
    ldflags: '-X github.com/argoproj/argo-rollouts/utils/version.version=1.10.1',
    versionArguments: ['--version'],
    fit: 'exact',
    // Its CRDs come from the same module, so a copy of the binary alone would not do.
    fromPath: false,
    crdsOf: 'github.com/argoproj/argo-rollouts',
  },
  'argocd-applicationset-controller': {
    version: '3.2.12',
    module: 'argo-cd',
    package: 'okra.mumo.co/local/argo-cd',
    ldflags: '-X github.com/argoproj/argo-cd/v3/common.version=3.2.12',
    versionArguments: ['version', '--short'],
    fit: 'exact',
    // Its CRDs come from the same module.
    fromPath: false,
    crdsOf: 'github.com/argoproj/argo-cd/v3',
  },
  etcd: {
    version: '3.6.16',
    module: 'etcd',
    package: 'go.etcd.io/etcd/server/v3',
    ldflags: '',
    versionArguments: ['--version'],
    fit: 'same-minor',
    fromPath: true,
  },
  kubectl: kubernetesTool('kubectl', { versionArguments: ['version', '--client'], fit: 'one-minor' }),
  'kube-controller-manager': kubernetesTool('kube-controller-manager'),
  helm: {
    version: '4.3.1',
    module: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    ldflags: '-X helm.sh/helm/v4/internal/version.version=v4.3.1',
    versionArguments: ['version', '--short'],
    fit: 'same-minor',
    fromPath: true,
  },
  kwok: {
    version: '0.7.0',
    module: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    ldflags: '-X sigs.k8s.io/kwok/pkg/consts.Version=v0.7.0',
    versionArguments: ['--version'],
    fit: 'same-minor',
    fromPath: true,
  },
  'kube-scheduler': kubernetesTool('kube-scheduler'),
};

/** The lowest Go that compiles every pinned module. */
export const lowestGo = '1.26.1';

/** The lowest Node on which bootstrap runs; the project itself runs on the Node in node_modules. */
export const lowestNode = '20.12.0';

/** The lowest Python that the pinned moto accepts. */
export const lowestPython = '3.10.0';

/** The pinned version of moto, whose whole closure stands in requirements.txt. */
export const motoVersion = '5.2.5';

/**
 * The sets of components that the commands start, named here and nowhere else.
 * @type {{ demo: readonly string[], full: readonly string[] }}
 */
export const componentSets = {
  demo: ['etcd', 'kube-apiserver', 'temporal', 'argo-rollouts', 'moto', 'elbv2-proxy'],
  full: [
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
  ],
};

/**
 * What deploys to clusters by their secrets: started in a namespace of a stack that asks for it, and not with each stack.
 * @type {readonly string[]}
 */
export const argoCD = ['argocd-applicationset-controller'];

/**
 * What the tests use besides a stack: the chart is rendered by Helm itself.
 * @type {readonly string[]}
 */
export const testTools = ['helm', ...argoCD];

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
