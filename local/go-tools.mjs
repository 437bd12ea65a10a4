/**
 * @typedef {object} GoTool
 * @property {string} version Pinned version, without a leading v.
 * @property {string} [moduleVersion] The version of its Go module, where that counts otherwise.
 * @property {string} module Folder below `modules/` whose go.mod pins it.
 * @property {string} package Go package of the command.
 * @property {string} [tags] Build tags, which leave out what nobody uses here.
 * @property {string} ldflags What the linker sets, so that the tool reports its version.
 * @property {string[]} versionArguments How the tool is asked for its version.
 * @property {'same-minor' | 'one-minor' | 'exact'} fit Which other versions do as well.
 * @property {boolean} fromPath Whether an installed copy may be used.
 * @property {{ module: string, folder: string }} [beside] Folder of a Go module that is kept beside the binary, under its last name.
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
 * @param {'prometheus' | 'promtool'} command
 * @returns {GoTool}
 */
const prometheusTool = (command) => ({
  version: '3.13.5',
  moduleVersion: '0.313.5',
  module: 'prometheus',
  package: `github.com/prometheus/prometheus/cmd/${command}`,
  // Nothing here is discovered in a cloud.
  tags: 'remove_all_sd',
  ldflags: '-X github.com/prometheus/common/version.Version=3.13.5',
  versionArguments: ['--version'],
  fit: 'same-minor',
  fromPath: true,
});

/**
 * @param {Partial<GoTool>} [differences]
 * @returns {GoTool}
 */
const argoCDTool = (differences = {}) => ({
  version: '3.2.11',
  module: 'argo-cd',
  package: 'okra.mumo.co/local/argo-cd',
  ldflags: '-X github.com/argoproj/argo-cd/v3/common.version=3.2.11',
  versionArguments: ['--version'],
  fit: 'exact',
  // Its CRDs come from the same module.
  fromPath: false,
  beside: { module: 'github.com/argoproj/argo-cd/v3', folder: 'manifests/crds' },
  ...differences,
});

/**
 * @param {string} command
 * @param {Partial<GoTool>} [differences]
 * @returns {GoTool}
 */
const temporalTool = (command, differences = {}) => ({
  version: '1.30.4',
  module: 'temporal-server',
  package: `go.temporal.io/server/cmd/${command}`,
  ldflags: '',
  versionArguments: ['--version'],
  fit: 'exact',
  fromPath: false,
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
  // There is none but this project's own.
  'temporal-server': temporalTool('', { package: 'okra.mumo.co/local/temporal-server' }),
  // As its image has it.
  'temporal-sql-server': temporalTool('server'),
  'temporal-sql-tool': temporalTool('tools/sql', {
    beside: { module: 'go.temporal.io/server', folder: 'schema/postgresql' },
  }),
  prometheus: prometheusTool('prometheus'),
  'rollouts-controller': {
    version: '1.10.1',
    module: 'argo-rollouts',
    package: 'github.com/argoproj/argo-rollouts/cmd/rollouts-controller',
    ldflags: '-X github.com/argoproj/argo-rollouts/utils/version.version=1.10.1',
    versionArguments: ['--version'],
    fit: 'exact',
    // Its CRDs come from the same module, so a copy of the binary alone would not do.
    fromPath: false,
    beside: { module: 'github.com/argoproj/argo-rollouts', folder: 'manifests/crds' },
  },
  argocd: argoCDTool({ tags: 'deploys' }),
  'argocd-applicationset-controller': argoCDTool(),
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
  // Its module has what no other tool here needs.
  kubelet: kubernetesTool('kubelet', { module: 'kubelet' }),
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
  promtool: prometheusTool('promtool'),
};

/**
 * About how many seconds each takes beside another on two idle cores.
 * @type {Readonly<Record<string, number>>}
 */
export const buildSeconds = {
  moto: 41,
  'kube-apiserver': 248,
  temporal: 202,
  'temporal-server': 150,
  'temporal-sql-server': 60,
  'temporal-sql-tool': 10,
  prometheus: 140,
  'rollouts-controller': 129,
  argocd: 370,
  'argocd-applicationset-controller': 100,
  etcd: 28,
  kubectl: 27,
  'kube-controller-manager': 61,
  kubelet: 110,
  helm: 40,
  kwok: 34,
  'kube-scheduler': 7,
  promtool: 10,
};
