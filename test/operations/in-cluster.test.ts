import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  ANALYSIS_RUN,
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  CHECK,
  CONTROLLER_REVISION,
  EXPERIMENT,
  JOB,
  SECRET,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import type { Check } from '../../crds/check.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { installArgoCDKinds } from '../../local/argo-cd/install.ts';
import { createTargetGroup } from '../../local/aws-fixture.ts';
import { createCluster } from '../../local/eks-fixture.ts';
import { installTargetGroupBindings, targetGroupBinding } from '../../local/target-group-bindings.ts';
import { startWorkload, type Workload } from '../discovery/workload.ts';
import { openPod, type Pod } from './in-cluster/pod.ts';
import type { AuditEvent } from '../support/audit/audit.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

/** What was asked for, as `verb group/resource`. */
function permissionOf({ verb, objectRef = {} }: AuditEvent): string {
  const { apiGroup = '', resource = '', subresource } = objectRef;
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

// What makes an object by server-side apply has to be allowed to create as well, and is a patch to who writes it down.
const askedForByApply = [
  'create okra.mumo.co/awsapplicationloadbalancerconfigs',
  'create okra.mumo.co/awsnetworkloadbalancerconfigs',
  'create okra.mumo.co/awsapplicationloadbalancertargetdeployments',
];

// What is read again only when someone writes it between a list and its deletion (activities/kubernetes/remove.test.ts).
const askedForByRace = ['get okra.mumo.co/awstargetgroups'];

const sorted = (some: Iterable<string>): readonly string[] => [...new Set(some)].toSorted();

describe('okrad in a pod', () => {
  let pod: Pod;
  let stage: Stage;
  let workload: Workload;
  let priority = 0;
  beforeAll(async () => {
    const stack = inject('stack');
    // What is not installed is not watched.
    await installArgoCDKinds(stack.kubeconfig);
    pod = await openPod(stack);
    ({ stage } = pod);
    await stage.apply(stage.analysisTemplate('success-rate', []));
    await stage.apply({
      ...stage.analysisTemplate('endless', []),
      ...endless('AnalysisTemplate', 'endless'),
    });
  });
  afterAll(async () => {
    await pod[Symbol.asyncDispose]();
    await workload?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    priority += 10;
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  const web = (): object => ({ web: { url: stage.metrics.url, jsonPath: '{$.rate}' } });
  const endless = (kind: string, name: string): object => ({
    kind,
    metadata: { name },
    spec: {
      metrics: [{ name: 'rate', interval: '1s', successCondition: 'result >= 0.95', provider: web() }],
    },
  });
  const names = async (kind: KindRef, labelSelector?: string): Promise<string | undefined> => {
    const options = { namespace: stage.namespace, ...(labelSelector === undefined ? {} : { labelSelector }) };
    const listed = stage.kubernetes.list<{ metadata: { name: string } }>(kind, options);
    // The stack's own API server begins to serve a kind when it is asked for it, and asks to come again until then.
    const found = await listed.catch((error: unknown) => {
      if (error instanceof KubernetesError && error.status === 429) return undefined;
      throw error;
    });
    return found && sorted(found.map(({ metadata }) => metadata.name)).join(' ');
  };
  const untilNames = (kind: KindRef, want: string, labelSelector?: string): Promise<boolean> =>
    until(`the ${kind.plural} ${want}`, async () => (await names(kind, labelSelector)) === want, {
      seen: () => names(kind, labelSelector),
    });
  const logOf = (): Promise<string> => readFile(stage.okrad.log, 'utf8');

  it('does rollouts with the service account', async () => {
    const shared = `${stage.namespace}-shared`;
    await stage.apply({
      ...stage.analysisTemplate(shared, [], 1),
      kind: 'ClusterAnalysisTemplate',
    });
    await stage.apply(replicaSet);
    const templates = [{ templateName: 'success-rate' }];
    const analysis = {
      provider: prometheus,
      query: 'up',
      aggregator: 'avg',
      max: 1,
      interval: '1m',
      window: '1m',
    };
    const check = { name: 'up', analysis };
    const spec = {
      // What has ended goes at once.
      analysis: { successfulRunHistoryLimit: 0, unsuccessfulRunHistoryLimit: 0 },
      updateStrategy: {
        type: 'Canary',
        canary: {
          analysis: { templates: [{ templateName: 'endless' }] },
          steps: [
            { setWeight: 20 },
            { analysis: { templates } },
            { analysis: { templates: [{ templateName: shared, clusterScope: true }] } },
            { check },
            { job: { template: { spec: { image: 'a', command: ['/bin/sleep', '300'] } } } },
            { experiment: { duration: '1h', templates: [{ name: 'wy', specRef: 'pods', replicas: 1 }] } },
            { approval: { groups: ['release'] } },
          ],
        },
      },
    };
    await stage.targetGroups('1.0.0', ['poda'], { role: 'pod' });
    await stage.apply(stage.cell('pod', { priority, role: 'pod', spec }));
    await stage.untilPhase('pod', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['podb'], { role: 'pod' });
    await until('a status of the Check', async () => {
      const [made] = await stage.kubernetes.list<Check>(CHECK, { namespace: stage.namespace });
      return made?.status?.phase;
    });
    await stage.signal('pod', 'promote');
    await stage.untilStatus('pod', 'running a Job', (status) => status.job !== undefined);
    await stage.signal('pod', 'promote');
    await stage.untilStatus('pod', 'experimenting', (status) => status.experiment !== undefined);
    await stage.signal('pod', 'promote');
    await stage.untilStatus('pod', 'waiting for approval', (status) => status.approval !== undefined);
    await stage.kubectl('create', 'rolebinding', 'release', '--clusterrole=cluster-admin', '--group=release');
    await stage.signal('pod', 'approve', { by: 'ann', groups: ['release'] });
    await stage.untilPhase('pod', 'Completed', '2.0.0');
    for (const kind of [ANALYSIS_RUN, EXPERIMENT, CHECK, JOB])
      await untilNames(kind, '', 'okra.mumo.co/cell=pod');
    await stage.kubectl('delete', 'clusteranalysistemplate', shared);
    const listener = await stage.networkListener('neta');
    await stage.targetGroups('1.0.0', ['neta'], { role: 'net' }, 'TCP');
    await stage.apply(stage.networkCell('net', listener));
    await stage.untilPhase('net', 'Completed', '1.0.0');
  });

  it('continues with the token that the kubelet puts in place, when the one before it has ended', async () => {
    await stage.targetGroups('1.0.0', ['tokena'], { role: 'token' });
    await stage.apply(stage.cell('token', { priority, role: 'token' }));
    await stage.untilPhase('token', 'Completed', '1.0.0');
    const second = await pod.mountToken('second');
    await pod.endToken('first');
    await until('the first token to be refused', () =>
      pod.whoIs(pod.firstToken).then(
        () => false,
        () => true,
      ),
    );
    expect(await pod.whoIs(second)).toContain(':okra');
    await stage.targetGroups('2.0.0', ['tokenb'], { role: 'token' });
    await stage.untilPhase('token', 'Completed', '2.0.0');
    expect(await logOf()).not.toContain('Unauthorized');
  });

  it('discovers with the service account', async () => {
    const { namespace } = stage;
    const labels = { role: 'found' };
    workload = await startWorkload(stage, `pod-${namespace.slice(-6)}`, labels);
    await installTargetGroupBindings(workload.cluster.kubernetes);
    const bind = (more: object = {}): Promise<unknown> =>
      workload.kubernetes.apply(
        targetGroupBinding({ name: 'b', labels: { ...labels, ...more }, targetGroupARN: arn }),
        { force: true },
      );
    const arn = 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/b/0123456789abcdef';
    await bind();
    const clusterSelector = { matchLabels: labels };
    const set = (bindingLabels: object): object => ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSTargetGroupSet',
      metadata: { name: 'found' },
      spec: {
        generators: [{ awseks: { clusterSelector, bindingSelector: { matchLabels: labels } } }],
        template: { metadata: { labels: bindingLabels } },
        bindingTemplate: {
          metadata: { name: 'ids', labels: bindingLabels },
          spec: {
            targetGroupARN: stage.arns.get('poda'),
            targets: [{ name: 'one', ids: ['i-0'], port: 80 }],
          },
        },
      },
    });
    await stage.apply(set({ found: 'first' }));
    await untilNames(AWS_TARGET_GROUP, 'default-b ids', 'found=first');
    await untilNames(AWS_TARGET_GROUP_BINDING, 'ids', 'found=first');
    await stage.apply(set({ found: 'second' }));
    await untilNames(AWS_TARGET_GROUP, 'default-b ids', 'found=second');
    await untilNames(AWS_TARGET_GROUP_BINDING, 'ids', 'found=second');
    await stage.kubectl('label', 'secret', workload.name, 'role-');
    await untilNames(AWS_TARGET_GROUP_BINDING, '');
  });

  it('makes the secrets of clusters with the service account', async () => {
    const of = stage.namespace;
    const name = `eks-${of.slice(-6)}`;
    const endpoint = 'https://127.0.0.1:2';
    await createCluster(stage.stack.aws, { name, tags: { of }, endpoint, caData: 'Y2E=', status: 'ACTIVE' });
    const clusterSet = (tags: object, labels: object): object => ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'ClusterSet',
      metadata: { name: 'eks' },
      spec: {
        generators: [{ awseks: { selector: { matchTags: tags } } }],
        template: { metadata: { labels } },
      },
    });
    await stage.apply(clusterSet({ of }, { made: 'first' }));
    await untilNames(SECRET, name, 'made=first');
    await stage.apply(clusterSet({ of }, { made: 'second' }));
    await untilNames(SECRET, name, 'made=second');
    await stage.apply(clusterSet({ of: 'nobody' }, { made: 'second' }));
    await untilNames(SECRET, '', 'made=second');
  });

  it('brings an application to a cluster with the service account', async () => {
    const of = stage.namespace;
    const clusterName = `apps-${of.slice(-6)}`;
    const facts = { endpoint: 'https://127.0.0.1:3', caData: 'Y2E=', status: 'ACTIVE' } as const;
    await createCluster(stage.stack.aws, { ...facts, name: clusterName, tags: { of: clusterName } });
    const { arn } = await createTargetGroup(stage.elbv2, clusterName, { protocol: 'HTTP' });
    stage.arns.set('apps-web-only', arn);
    const clusters = [
      { name: 'only', eks: { clusterName }, requireReady: false, labels: { targetGroupARN: arn } },
    ];
    const alb = {
      listenerARN: stage.listenerARN,
      forwardConfig: {
        priority,
        hosts: ['apps.example.com'],
        targetGroup: { arnFromLabel: 'targetGroupARN' },
      },
    };
    const application = (made: string): object => ({
      name: 'web',
      argocd: { clusterSecret: { labels: { made } } },
      alb,
    });
    // The last ten revisions are kept.
    for (const made of Array.from({ length: 11 }, (_, index) => `m${index + 1}`)) {
      const spec = { clusters, applications: [application(made)], deletionPolicy: 'Delete' };
      await stage.apply({
        apiVersion: 'okra.mumo.co/v1alpha1',
        kind: 'Cell',
        metadata: { name: 'apps' },
        spec,
      });
      await untilNames(SECRET, clusterName, `made=${made}`);
      await stage.untilStatus(
        'apps',
        `at ${made}`,
        ({ phase, applications = [] }) =>
          phase === 'Completed' && applications.every((one) => `m${one.revision}` === made),
      );
    }
    await until('the first revision to be deleted', async () => {
      const kept = await stage.kubernetes.list(CONTROLLER_REVISION, { namespace: of });
      return kept.length === 10;
    });
    await stage.kubectl('delete', 'cell/apps', '--timeout=60s');
    await untilNames(SECRET, '', 'okra.mumo.co/cell=apps');
  });

  it('makes no Secret in which Kubernetes puts the token of a service account', async () => {
    const secret = (name: string, more: object): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      ...more,
      metadata: {
        name,
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
        annotations: { 'kubernetes.io/service-account.name': 'default' },
      },
    });
    const make = (name: string, more: object): Promise<void> =>
      stage.applyByKubectl(secret(name, more), `--as=${pod.account}`);
    await expect(make('token', { type: 'kubernetes.io/service-account-token' })).rejects.toThrow(
      'Okra may create only Secrets of the type Opaque.',
    );
    await make('opaque', {});
    await stage.kubectl('delete', 'secret/opaque');
  });

  it('A-I03 is refused nothing, and may do nothing that it does not', async () => {
    const events = (await pod.asked()).filter(({ userAgent }) => userAgent === 'okra');
    const refused = events.filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(sorted(refused.map(permissionOf))).toEqual([]);
    // With OKRA_WATCH_NAMESPACE it looks after no StagedBindingPolicies (test/staged), which belong to none.
    const allowed = [...pod.allowed].filter((one) => !one.includes('/stagedbindingpolicies'));
    // Every account may read which kinds are served (ClusterRole system:discovery).
    const permissions = events.filter(({ objectRef }) => objectRef !== undefined).map(permissionOf);
    expect(sorted([...permissions, ...askedForByApply, ...askedForByRace])).toEqual(sorted(allowed));
  });
});

/** Nobody answers there, which is an error and no verdict. */
const prometheus = { prometheus: { address: 'http://127.0.0.1:1' } };

const replicaSet = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'pods', labels: { app: 'pods' } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'pods' } },
    template: { metadata: { labels: { app: 'pods' } }, spec: { containers: [{ name: 'wy', image: 'wy' }] } },
  },
};
