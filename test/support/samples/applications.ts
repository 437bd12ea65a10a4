import { parse } from 'yaml';
import { cell } from './cell.ts';
import { groupARN, listenerARN, networkListenerARN } from './arns.ts';

/** The example of the documentation, with four clusters and three applications. */
export const mysystem = parse(`
apiVersion: okra.mumo.co/v1alpha1
kind: Cell
metadata:
  name: mysystem
  annotations:
    okra.mumo.co/adopt: "true"
spec:
  clusters:
  - name: mycluster-web-1-v2
    eks: {}
    requireReady: true
    labels:
      role: web
  - name: mycluster-web-2-v2
    eks: {}
    labels:
      role: web
  - name: mycluster-api-v1
    eks: {}
    labels:
      role: api
      targetGroupARN: ${groupARN('api')}
  - name: mycluster-backgroundjobs-v1
    eks: {}
    labels:
      role: backgroundjobs
  applications:
  - name: web
    clusterSelector:
      matchEKSTags:
        role: web
    argocd:
      clusterSecret:
        labels:
          myservice-role: web
      applicationSet:
        name: web
      updateStrategy:
        type: CreateBeforeDelete
    alb:
      listenerARN: ${listenerARN}
      forwardConfig:
        priority: 10
        targetGroup:
          targetgroupBindingSelector: svc=web
      updateStrategy:
        stepWeight: 10
        totalWeight: 100
    checks:
    - name: dd
      analysis:
        query: |
          avg:errors{cluster:{{.Vars.clusterName}},listener:{{.Vars.albListenerARN}},tg:{{.Vars.targetGroupARN}}}
        aggregator: avg
        max: 0.1
  - name: api
    clusterSelector:
      role: api
    argocd:
      clusterSecret:
        labels:
          myservice-role: api
      applicationSet:
        selector: svc=api
      updateStrategy:
        type: CreateBeforeDelete
    alb:
      listenerARN: ${listenerARN}
      forwardConfig:
        priority: 11
        targetGroup:
          arnFromLabel: targetGroupARN
      updateStrategy:
        stepWeight: 100
        totalWeight: 100
    checks:
    - name: dd
      analysis:
        query: |
          avg:errors{cluster:{{.Vars.eksClusterName}},listener:{{.Vars.albListenerARN}},tg:{{.Vars.targetGroupARN}}}
        aggregator: avg
        max: 0.1
  - name: backgroundjobs
    clusterSelector:
      role: backgroundjobs
    argocd:
      clusterSecret:
        labels:
          myservice-role: backgroundjobs
      applicationSet:
        selector: svc=backgroundjobs
      updateStrategy:
        type: DeleteBeforeCreate
    prechecks:
    - name: run-test
      job:
        template:
          spec:
            image: example.com/run-test:1
            command: [run-test]
            args: [--all]
`) as { readonly metadata: object; readonly spec: Record<string, unknown> };

const argocd = { clusterSecret: { labels: { role: 'web' } } };
const alb = {
  listenerARN,
  forwardConfig: { priority: 10, targetGroup: { arnFromLabel: 'targetGroupARN' } },
};

/** A Cell of one cluster and one application, and what is changed of either. */
export const oneApplication = (application: object = { argocd }, spec: object = {}): object => ({
  clusters: [{ name: 'web-v2' }],
  applications: [{ name: 'web', ...application }],
  ...spec,
});

const forwarding = (forwardConfig: object, more: object = {}): object =>
  oneApplication({ alb: { ...alb, ...more, forwardConfig: { ...alb.forwardConfig, ...forwardConfig } } });
const weights = (stepWeight: number, totalWeight: number, more: object = {}): object =>
  oneApplication({ alb: { ...alb, updateStrategy: { stepWeight, totalWeight } }, ...more });
const checked = (...checks: object[]): object => oneApplication({ argocd, checks });
const analysis = { query: 'avg:errors{*}', aggregator: 'avg', max: 0.1 };
const job = { template: { spec: { image: 'a' } } };
const two = { clusters: [{ name: 'a' }, { name: 'b' }] };

/** Cells of applications that have to be accepted. */
export const goodApplications: Readonly<Record<string, unknown>> = {
  'the example of applications': mysystem.spec,
  'one application of one cluster': oneApplication(),
  'an application without Argo CD': oneApplication({ alb }),
  'a fixed target group': forwarding({ targetGroup: { arn: groupARN('web') } }),
  'a rule with conditions': forwarding({ hosts: ['example.com'], pathPatterns: ['/api/*'] }),
  'two applications with one listener': oneApplication(
    {},
    {
      applications: [
        { name: 'web', alb },
        { name: 'jobs', argocd },
        { name: 'api', alb: { ...alb, forwardConfig: { ...alb.forwardConfig, priority: 11 } } },
      ],
    },
  ),
  'weights of 30': weights(30, 100),
  'checks of each kind': checked(
    { name: 'a', analysis },
    { name: 'b', templates: [{ templateName: 'success-rate' }], args: [{ name: 'c', value: 'd' }] },
    { name: 'c', job },
  ),
  'all settings of a Cell with applications': oneApplication(
    { argocd },
    {
      clusters: [
        { name: 'web-v2', eks: { clusterName: 'Web_v2' }, requireReady: false, readyTimeout: '60m' },
      ],
      parallel: true,
      onFailure: 'Hold',
      syncTimeout: '30m',
      rollbackDelay: '5m',
      minHealthyTargets: 2,
      deletionPolicy: 'Delete',
    },
  ),
};

/** Cells of applications that have to be refused: what is wrong, the spec, and what the refusal has to mention. */
export const badApplications: readonly (readonly [string, unknown, string])[] = [
  [
    'applications beside ingress',
    cell(oneApplication()),
    'Exactly one of spec.ingress and spec.applications',
  ],
  ['clusters beside ingress', cell(two), 'only allowed with spec.applications'],
  [
    'a version of applications',
    oneApplication({ argocd }, { version: '1' }),
    'only allowed with spec.ingress',
  ],
  ['applications without clusters', { applications: [{ name: 'web', argocd }] }, 'spec.clusters is required'],
  ['no applications', oneApplication({}, { applications: [] }), 'spec.applications'],
  ['A-G03 two clusters without a selector', oneApplication({ argocd }, two), 'must have a clusterSelector'],
  ['an application that does nothing', oneApplication({}), 'argocd, alb, or both'],
  [
    'A-G04 DeleteBeforeCreate with alb',
    oneApplication({
      alb,
      argocd: { applicationSet: { name: 'web' }, updateStrategy: { type: 'DeleteBeforeCreate' } },
    }),
    'CreateBeforeDelete with alb',
  ],
  [
    'DeleteBeforeCreate without an ApplicationSet',
    oneApplication({ argocd: { ...argocd, updateStrategy: { type: 'DeleteBeforeCreate' } } }),
    'argocd.applicationSet is required with the updateStrategy DeleteBeforeCreate',
  ],
  [
    'two sources of target groups',
    forwarding({ targetGroup: { arn: groupARN('web'), arnFromLabel: 'a' } }),
    'exactly one of arn, targetgroupBindingSelector and arnFromLabel',
  ],
  ['no source of target groups', forwarding({ targetGroup: {} }), 'exactly one of arn'],
  [
    'a selector that is none',
    forwarding({ targetGroup: { targetgroupBindingSelector: 'web' } }),
    'a selector such as svc=web',
  ],
  [
    'a network load balancer of an application',
    forwarding({}, { listenerARN: networkListenerARN }),
    'listener of an Application Load Balancer',
  ],
  [
    'six condition values of an application',
    forwarding({ hosts: ['a', 'b', 'c'], pathPatterns: ['/d', '/e', '/f'] }),
    'alb.forwardConfig must have at most 5 condition values',
  ],
  ['steps beyond the weight', weights(101, 100), 'stepWeight must be at most totalWeight'],
  ['more steps than a Cell takes', weights(1, 101), 'Too many weight changes and checks'],
  [
    'more checks than a Cell takes',
    weights(2, 100, {
      checks: [
        { name: 'a', analysis },
        { name: 'b', analysis },
      ],
    }),
    'Too many weight changes and checks',
  ],
  [
    'a label that no object can have',
    oneApplication({ argocd: { clusterSecret: { labels: { role: 'ops@blue' } } } }),
    'clusterSecret.labels.role',
  ],
  [
    'labels that are misspelt',
    oneApplication({ argocd: { clusterSecret: { lables: { role: 'web' } } } }),
    'unknown field clusterSecret.lables',
  ],
  [
    'the label of every cluster secret',
    oneApplication({
      argocd: { clusterSecret: { labels: { 'argocd.argoproj.io/secret-type': 'cluster' } } },
    }),
    'secret-type',
  ],
  [
    'an ApplicationSet by name and by labels',
    oneApplication({ argocd: { applicationSet: { name: 'web', selector: 'svc=web' } } }),
    'exactly one of name and selector',
  ],
  [
    'no ApplicationSet',
    oneApplication({ argocd: { applicationSet: {} } }),
    'exactly one of name and selector',
  ],
  [
    'a check of two kinds',
    checked({ name: 'a', analysis, job }),
    'exactly one of analysis, templates and job',
  ],
  ['a check of no kind', checked({ name: 'a' }), 'exactly one of analysis, templates and job'],
  ['arguments without templates', checked({ name: 'a', job, args: [] }), 'args need templates'],
  ['two checks of one name', checked({ name: 'a', job }, { name: 'a', job }), 'must be unique'],
  [
    'two applications of one name',
    oneApplication({}, { applications: ['web', 'web'].map((name) => ({ name, argocd })) }),
    'must be unique',
  ],
  [
    'two applications with one rule',
    oneApplication({}, { applications: ['web', 'api'].map((name) => ({ name, alb })) }),
    'the same listenerARN and priority',
  ],
  [
    'two clusters of one name',
    oneApplication({ argocd, clusterSelector: { a: 'b' } }, { clusters: [{ name: 'a' }, { name: 'a' }] }),
    'must be unique',
  ],
  ['a name in capital letters', oneApplication({ argocd, name: 'Web' }), 'lower-case letters'],
  ['a failure that is ignored', oneApplication({ argocd }, { onFailure: 'Ignore' }), 'spec.onFailure'],
  ['an unknown delay', oneApplication({ argocd }, { rollbackDelay: 'soon' }), 'spec.rollbackDelay'],
];
