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
  ...configs(stage, victim),
  ...registrations(victim),
  ...clusters(victim),
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
