import type { Stage } from '../../support/stage/stage.ts';
import { apiVersion, type Attempt, type Victim } from './attempt.ts';
import { secretAttempts } from './secrets.ts';

/** The kind, its field, and what is tried by it. */
type Row = readonly [kind: string, field: string, tried: string];

const row = ([kind, field, tried]: Row, name: string, spec: object, annotations = {}): Attempt => ({
  kind,
  field,
  tried,
  name,
  reason: 'NotAllowed',
  object: { apiVersion, kind, metadata: { name, annotations }, spec },
});

const ADOPT = { 'okra.mumo.co/adopt': 'true' };
const ALB = 'AWSApplicationLoadBalancer';
const NLB = 'AWSNetworkLoadBalancer';
const rule = { priority: 10, hosts: ['example.com'] };
const targetGroupSelector = { matchLabels: { role: 'own' } };
const targets = [{ name: 'mine', ids: ['172.31.66.6'], port: 80 }];
const to = (arn: string): object => ({ targetGroups: [{ name: 'a', arn, weight: 1 }] });
const config = (listenerARN: string, arn: string, priority: number): object => ({
  listenerARN,
  listener: { rule: { ...rule, priority, forward: to(arn) } },
});

/** What a tenant may try in each kind, to reach what is another's. */
export const attempts = (stage: Stage, victim: Victim): readonly Attempt[] => [
  ...cells(victim),
  ...applications(stage, victim),
  ...configs(stage, victim),
  ...registrations(victim),
  ...clusters(victim),
  ...checks(victim),
  ...secretAttempts(stage, victim),
];

function cells({ listener, networkListener, group }: Victim): readonly Attempt[] {
  const block = { listenerARN: listener, listener: { rule }, targetGroupSelector };
  const spec = { ingress: { type: ALB, awsApplicationLoadBalancer: block } };
  const network = { listenerARN: networkListener, targetGroupSelector };
  const networkSpec = { ingress: { type: NLB, awsNetworkLoadBalancer: network } };
  return [
    row(['Cell', 'listenerARN', 'writes a rule'], 'cell-rule', spec),
    row(['Cell', 'listenerARN', 'takes a rule over'], 'cell-adopts', spec, ADOPT),
    row(['Cell', 'listenerARN', 'takes a default action over'], 'cell-network', networkSpec, ADOPT),
    row(['AWSTargetGroup', 'arn', 'reads what AWS knows of it'], 'group-read', { arn: group }),
  ];
}

/** What a Cell with applications would look at or write for its author. */
function applications(stage: Stage, { cluster, ownCluster, listener }: Victim): readonly Attempt[] {
  const labels = { targetGroupARN: stage.arns.get('own-1') ?? '' };
  const on = (clusterName: string, application: object): object => ({
    clusters: [{ name: 'one', eks: { clusterName }, requireReady: false, labels }],
    applications: [{ name: 'web', ...application }],
  });
  const argocd = { clusterSecret: { labels: { made: 'here' } } };
  const forwardConfig = { priority: 10, targetGroup: { arnFromLabel: 'targetGroupARN' } };
  const alb = (match: object): object => ({
    listenerARN: listener,
    forwardConfig: { ...forwardConfig, ...match },
  });
  const written = row(
    ['Cell', 'applications[].alb.listenerARN', 'writes a rule'],
    'apps-writes',
    on(ownCluster, { alb: alb({ hosts: ['x.example'] }) }),
  );
  return [
    {
      ...row(
        ['Cell', 'clusters[].eks.clusterName', 'asks for a cluster'],
        'apps-asks',
        on(cluster.name, { argocd }),
      ),
      reason: 'ClustersNotReady',
    },
    row(
      ['Cell', 'applications[].alb.listenerARN', 'reads a rule'],
      'apps-reads',
      on(ownCluster, { alb: alb({}) }),
      ADOPT,
    ),
    written,
  ];
}

function configs(stage: Stage, { listener, networkListener, group, networkGroup }: Victim) {
  const own = stage.arns.get('own-1') ?? '';
  const deleting = { ...config(listener, own, 10), deletionPolicy: 'Delete' };
  const network = { listenerARN: networkListener, listener: { forward: to(networkGroup) } };
  const forwarding = config(stage.listenerARN, group, 900);
  return [
    row([`${ALB}Config`, 'listenerARN', 'takes a rule over'], 'alb-adopts', config(listener, own, 10), ADOPT),
    row([`${ALB}Config`, 'listenerARN', 'deletes a rule with itself'], 'alb-deletes', deleting),
    row([`${ALB}Config`, 'forward.targetGroups[].arn', 'sends requests'], 'alb-forwards', forwarding),
    row([`${NLB}Config`, 'listenerARN', 'takes the default action'], 'nlb-adopts', network, ADOPT),
  ];
}

function registrations({ group: targetGroupARN }: Victim): readonly Attempt[] {
  const targetGroup = { vpcID: 'vpc-0123456789abcdef0' };
  const nobody = { awseks: { clusterSelector: { matchLabels: { tenant: 'nobody' } } } };
  const template = { generators: [nobody], bindingTemplate: { spec: { targetGroupARN, targets } } };
  const at = 'bindingTemplate.spec.targetGroupARN';
  const kind = 'AWSTargetGroupBinding';
  return [
    row([kind, 'targetGroupARN', 'registers a target'], 'binding-named', { targetGroupARN, targets }),
    row([kind, 'targetGroup', 'creates a target group'], 'binding-new', { targetGroup, targets }),
    row(['AWSTargetGroupSet', at, 'registers targets'], 'set-template', template),
  ];
}

function clusters({ cluster, role }: Victim): readonly Attempt[] {
  const selector = { matchTags: { owner: cluster.name } };
  const found = (more: object): object => ({ generators: [{ awseks: { selector, ...more } }] });
  const shared = { roleARN: `${role}-shared`, externalID: 'alice' };
  return [
    row(['ClusterSet', 'selector', 'finds a cluster'], 'clusters-found', found({})),
    row(['ClusterSet', 'roleARN', 'assumes a role'], 'clusters-role', found({ roleARN: role })),
    row(['ClusterSet', 'externalID', 'assumes a role'], 'clusters-external', found(shared)),
  ];
}

function checks({ group, role }: Victim): readonly Attempt[] {
  const check = (more: object): object => ({
    analysis: { query: 'up', aggregator: 'avg', max: 1, interval: '1s', ...more },
  });
  const metrics = [{ id: 'm', namespace: 'AWS/ApplicationELB', metricName: 'RequestCount', stat: 'Sum' }];
  const cloudWatch = (more: object): object =>
    check({ query: 'm', provider: { cloudWatch: { region: 'eu-west-1', metrics, ...more } } });
  const targetGroupARNs = { canary: [group], stable: [group] };
  const compare = {
    to: 'stable',
    maxRatio: 1,
    normalise: 'perTarget',
    baselines: [{ query: 'up' }],
    targetGroupARNs,
  };
  const prometheus = { prometheus: { address: 'http://127.0.0.1:1' } };
  return [
    row(['Check', 'cloudWatch.roleARN', 'assumes a role'], 'check-role', cloudWatch({ roleARN: role })),
    row(['Check', 'cloudWatch', 'reads metrics'], 'check-metrics', cloudWatch({})),
    row(['Check', 'compare.targetGroupARNs', 'counts targets'], 'check-targets', check({ compare })),
    row(['Check', 'prometheus.address', 'sends a request'], 'check-sends', check({ provider: prometheus })),
  ];
}
