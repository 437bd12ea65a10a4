import { OWNER_TAG, UID_TAG } from '../../domain/kubernetes/labels.ts';

/** The condition of an IAM statement: operator, key, value. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** Actions of AWS that are limited alike. */
export interface Statement {
  readonly sid: string;
  /** What okrad calls, by what it is for. */
  readonly actions: Readonly<Record<string, string>>;
  /** Whose calls these are: AWS checks some in the name of the one who calls another action. */
  readonly calledBy: 'okrad' | 'AWS';
  readonly resources: readonly string[];
  readonly conditions?: Conditions;
  readonly limit: string;
}

const elb = (resource: string): string => `arn:aws:elasticloadbalancing:*:*:${resource}`;

const rules = elb('listener-rule/app/*');
const networkListeners = elb('listener/net/*');
const targetGroups = elb('targetgroup/*');
const assumed = 'arn:aws:iam::*:role/okra-*';

const isOwned: Conditions = { Null: { [`aws:ResourceTag/${OWNER_TAG}`]: 'false' } };

const createdBy = (action: string): Conditions => ({
  StringEquals: { 'elasticloadbalancing:CreateAction': action },
});

/** Every action of AWS that okrad needs, what it is for, and how it is limited. */
export const statements: readonly Statement[] = [
  {
    sid: 'ReadLoadBalancers',
    actions: {
      'elasticloadbalancing:DescribeListeners': 'what a listener is and does by default',
      'elasticloadbalancing:DescribeLoadBalancerAttributes': 'whether a load balancer crosses zones',
      'elasticloadbalancing:DescribeLoadBalancers': 'the zones of a load balancer',
      'elasticloadbalancing:DescribeRules': 'what the rules of a listener do, and that a write has arrived',
      'elasticloadbalancing:DescribeTags': 'whose a rule, a listener or a target group is, and its version',
      'elasticloadbalancing:DescribeTargetGroups': 'what a target group is, and whether it can be used',
      'elasticloadbalancing:DescribeTargetGroupAttributes':
        'whether a target group keeps clients with a target',
      'elasticloadbalancing:DescribeTargetHealth': 'whether targets are healthy, and which are registered',
    },
    calledBy: 'okrad',
    resources: ['*'],
    limit: 'AWS limits reads to no resource',
  },
  {
    sid: 'CreateRules',
    actions: { 'elasticloadbalancing:CreateRule': 'the rule of a Cell, with its owner tag' },
    calledBy: 'okrad',
    resources: [elb('listener/app/*')],
    conditions: { Null: { [`aws:RequestTag/${OWNER_TAG}`]: 'false' } },
    limit: 'listeners of Application Load Balancers; the rule gets an owner tag',
  },
  {
    sid: 'ChangeOwnRules',
    actions: {
      'elasticloadbalancing:ModifyRule': 'weights, conditions and stickiness of a rule',
      'elasticloadbalancing:SetRulePriorities': 'the priority of a rule',
      'elasticloadbalancing:DeleteRule': 'the end of a rule with its Cell, where `deletionPolicy` says so',
    },
    calledBy: 'okrad',
    resources: [rules],
    conditions: isOwned,
    limit: 'rules with an owner tag',
  },
  {
    sid: 'ChangeOwnListeners',
    actions: { 'elasticloadbalancing:ModifyListener': 'the weights of a Network Load Balancer' },
    calledBy: 'okrad',
    resources: [networkListeners],
    conditions: isOwned,
    limit: 'listeners of Network Load Balancers with an owner tag',
  },
  {
    sid: 'TagWhatIsCreated',
    actions: { 'elasticloadbalancing:AddTags': 'the owner tag of a new rule' },
    calledBy: 'AWS',
    resources: [rules],
    conditions: createdBy('CreateRule'),
    limit: 'new rules only',
  },
  {
    sid: 'TakeOver',
    actions: {
      'elasticloadbalancing:AddTags':
        'the owner tag of a rule or listener that is taken over (`okra.mumo.co/adopt`)',
    },
    calledBy: 'okrad',
    resources: [rules, networkListeners],
    conditions: {
      'ForAllValues:StringEquals': { 'aws:TagKeys': [OWNER_TAG] },
      Null: { 'aws:TagKeys': 'false' },
    },
    limit: 'rules, and listeners of Network Load Balancers; no other tag',
  },
  {
    sid: 'CreateTargetGroups',
    actions: { 'elasticloadbalancing:CreateTargetGroup': 'the target group of an AWSTargetGroupBinding' },
    calledBy: 'okrad',
    resources: [targetGroups],
    conditions: { Null: { [`aws:RequestTag/${OWNER_TAG}`]: 'false' } },
    limit: 'the target group gets an owner tag',
  },
  {
    sid: 'TagCreatedTargetGroups',
    actions: { 'elasticloadbalancing:AddTags': 'the owner tag of a new target group' },
    calledBy: 'AWS',
    resources: [targetGroups],
    conditions: {
      ...createdBy('CreateTargetGroup'),
      'ForAllValues:StringEquals': { 'aws:TagKeys': [OWNER_TAG, UID_TAG] },
    },
    limit: 'new target groups only; no other tag',
  },
  {
    sid: 'ChangeOwnTargetGroups',
    actions: {
      'elasticloadbalancing:ModifyTargetGroup': 'the health check of a target group that Okra has created',
      'elasticloadbalancing:DeleteTargetGroup': 'the end of such a target group with its object',
    },
    calledBy: 'okrad',
    resources: [targetGroups],
    conditions: isOwned,
    limit: 'target groups with an owner tag',
  },
  {
    sid: 'UseTargetGroups',
    actions: {
      'elasticloadbalancing:RegisterTargets': 'the targets of an AWSTargetGroupBinding',
      'elasticloadbalancing:DeregisterTargets': 'the end of a target of an AWSTargetGroupBinding',
      'elasticloadbalancing:ModifyTargetGroupAttributes': 'target stickiness (`forward.targetStickiness`)',
    },
    calledBy: 'okrad',
    resources: [targetGroups],
    limit:
      'target groups; those that objects name by ARN are not made by Okra and have no owner tag, so name their ARNs here, or add a condition on a tag that yours have',
  },
  {
    sid: 'ReadNetworks',
    actions: {
      'ec2:DescribeInstances': 'RegisterTargets, of instances',
      'ec2:DescribeInternetGateways': 'CreateTargetGroup and RegisterTargets',
      'ec2:DescribeSubnets': 'RegisterTargets, of addresses',
      'ec2:DescribeVpcs': 'CreateTargetGroup and RegisterTargets',
    },
    calledBy: 'AWS',
    resources: ['*'],
    limit: 'AWS limits reads to no resource',
  },
  {
    sid: 'ReadUserPoolClients',
    actions: {
      'cognito-idp:DescribeUserPoolClient':
        'CreateRule and ModifyRule, of a rule that authenticates with Cognito',
    },
    calledBy: 'AWS',
    resources: ['arn:aws:cognito-idp:*:*:userpool/*'],
    limit:
      'user pools: name yours here, since the answer has the secret of the client; leave it out where no rule has `authenticate-cognito`',
  },
  {
    sid: 'ListClusters',
    actions: { 'eks:ListClusters': 'the clusters of an account and region, for a ClusterSet' },
    calledBy: 'okrad',
    resources: ['*'],
    limit: 'AWS limits it to no resource',
  },
  {
    sid: 'ReadClusters',
    actions: {
      'eks:DescribeCluster':
        'endpoint, CA, status, version, VPC and tags of a cluster, of a ClusterSet or a Cell with applications',
    },
    calledBy: 'okrad',
    resources: ['arn:aws:eks:*:*:cluster/*'],
    limit: 'clusters; add a condition on `aws:ResourceTag` where not all are for Okra',
  },
  {
    sid: 'ReadMetrics',
    actions: { 'cloudwatch:GetMetricData': 'the metrics of Checks, in its own account' },
    calledBy: 'okrad',
    resources: ['*'],
    limit: 'AWS limits it to no resource; leave it out where no Check asks CloudWatch without a role',
  },
  {
    sid: 'AssumeRoles',
    actions: { 'sts:AssumeRole': 'the roles that objects and secrets name, in other accounts say' },
    calledBy: 'okrad',
    resources: [assumed],
    limit:
      'roles whose name begins with `okra-`: name yours here; their trust policies name Okra’s role, and the external id where there is one',
  },
  {
    sid: 'PassSessionTags',
    actions: {
      'sts:TagSession': 'AssumeRole with EKS Pod Identity, whose session tags go on to the next role',
    },
    calledBy: 'AWS',
    resources: [assumed],
    limit: 'the same roles as `AssumeRoles`; leave it out without EKS Pod Identity',
  },
];
