import { type Fields, items, text, texts } from '../protocol/fields.ts';
import { arnKindOf, isArn, type ArnKind } from '../world/arns.ts';
import { type World, isDefault } from '../world/world.ts';
import { api, firstOf, invalid, type Refusal, type Rule } from './refusal.ts';

const required: Readonly<Record<string, readonly string[]>> = {
  CreateRule: ['ListenerArn', 'Priority', 'Conditions', 'Actions'],
  ModifyRule: ['RuleArn'],
  DeleteRule: ['RuleArn'],
  SetRulePriorities: ['RulePriorities'],
  CreateListener: ['LoadBalancerArn', 'DefaultActions'],
  ModifyListener: ['ListenerArn'],
  DeleteListener: ['ListenerArn'],
  CreateTargetGroup: ['Name'],
  ModifyTargetGroup: ['TargetGroupArn'],
  DeleteTargetGroup: ['TargetGroupArn'],
  DescribeTargetGroupAttributes: ['TargetGroupArn'],
  ModifyTargetGroupAttributes: ['TargetGroupArn', 'Attributes'],
  RegisterTargets: ['TargetGroupArn', 'Targets'],
  DeregisterTargets: ['TargetGroupArn', 'Targets'],
  DescribeTargetHealth: ['TargetGroupArn'],
  DescribeTags: ['ResourceArns'],
  AddTags: ['ResourceArns', 'Tags'],
  RemoveTags: ['ResourceArns', 'TagKeys'],
};

const parameterKinds: Readonly<Record<string, ArnKind>> = {
  ListenerArn: 'listener',
  ListenerArns: 'listener',
  RuleArn: 'listener rule',
  RuleArns: 'listener rule',
  TargetGroupArn: 'target group',
  TargetGroupArns: 'target group',
  LoadBalancerArn: 'load balancer',
  LoadBalancerArns: 'load balancer',
};

interface Named {
  readonly kind: ArnKind;
  readonly arn: string;
}

function namedIn(parameters: Fields): readonly Named[] {
  const direct = Object.entries(parameterKinds).flatMap(([name, kind]) => {
    const one = text(parameters, name);
    return [...(one === undefined ? [] : [one]), ...texts(parameters, name)].map((arn) => ({ kind, arn }));
  });
  const ordered = items(parameters, 'RulePriorities').map((pair) => text(pair, 'RuleArn') ?? '');
  return [...direct, ...ordered.map((arn): Named => ({ kind: 'listener rule', arn }))];
}

const missing: Readonly<Record<ArnKind, Refusal>> = {
  'load balancer': { code: 'LoadBalancerNotFound', message: 'One or more load balancers not found' },
  listener: { code: 'ListenerNotFound', message: 'One or more listeners not found' },
  'listener rule': { code: 'RuleNotFound', message: 'One or more rules not found' },
  'target group': { code: 'TargetGroupNotFound', message: 'One or more target groups not found' },
};

function mapOf(world: World, kind: ArnKind): ReadonlyMap<string, Fields> {
  if (kind === 'load balancer') return world.loadBalancers;
  if (kind === 'listener') return world.listeners;
  return kind === 'listener rule' ? world.rules : world.targetGroups;
}

// AWS answers these with success when there is nothing to delete.
const forgiving = new Set(['DeleteLoadBalancer', 'DeleteTargetGroup']);

/** What AWS refuses because a parameter is missing or is not an ARN. */
export const formRules: readonly Rule[] = [
  {
    name: 'required-parameter',
    actions: Object.keys(required),
    source: api('CommonErrors'),
    refuse: ({ action, parameters }) =>
      firstOf(required[action] ?? [], (name) => {
        if (parameters[name] !== undefined && parameters[name] !== '') return undefined;
        // An empty list of conditions has an answer of its own.
        if (name === 'Conditions') return undefined;
        const field = name.charAt(0).toLowerCase() + name.slice(1);
        return invalid(
          `1 validation error detected: Value null at '${field}' failed to satisfy constraint: Member must not be null`,
        );
      }),
  },
  {
    name: 'arn-shape',
    actions: [],
    source:
      'https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html',
    refuse: ({ parameters }) =>
      firstOf(namedIn(parameters), ({ kind, arn }) =>
        isArn(kind, arn) ? undefined : invalid(`'${arn}' is not a valid ${kind} ARN`),
      ),
  },
];

/** What AWS refuses because a parameter names nothing, or a default rule. */
export const existenceRules: readonly Rule[] = [
  {
    name: 'resource-exists',
    actions: [],
    source: api('API_DescribeRules'),
    refuse: ({ action, parameters, world }) =>
      forgiving.has(action)
        ? undefined
        : firstOf(namedIn(parameters), ({ kind, arn }) =>
            mapOf(world, kind).has(arn) ? undefined : missing[kind],
          ),
  },
  {
    name: 'tagged-resource-exists',
    actions: ['AddTags', 'RemoveTags', 'DescribeTags'],
    source: api('API_DescribeTags'),
    refuse: ({ parameters, world }) =>
      firstOf(texts(parameters, 'ResourceArns'), (arn) => {
        const kind = arnKindOf(arn);
        if (kind === undefined) return invalid(`'${arn}' is not a valid ELB resource ARN`);
        return mapOf(world, kind).has(arn) ? undefined : missing[kind];
      }),
  },
  {
    name: 'default-rule-stays',
    actions: ['ModifyRule', 'DeleteRule', 'SetRulePriorities'],
    source: api('API_DeleteRule'),
    refuse: ({ action, parameters, world }) =>
      firstOf(namedIn(parameters), ({ kind, arn }) => {
        const rule = kind === 'listener rule' ? world.rules.get(arn) : undefined;
        if (rule === undefined || !isDefault(rule)) return undefined;
        const verb = action === 'DeleteRule' ? 'deleted' : 'modified';
        return { code: 'OperationNotPermitted', message: `Default rule '${arn}' cannot be ${verb}` };
      }),
  },
];
