const id = '[0-9A-Za-z]+';
const prefix = 'arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\\d{12}';
const balancer = `(app|net|gwy)/[A-Za-z0-9-]+/${id}`;

const shapes = {
  'load balancer': new RegExp(`^${prefix}:loadbalancer/${balancer}$`),
  listener: new RegExp(`^${prefix}:listener/${balancer}/${id}$`),
  'listener rule': new RegExp(`^${prefix}:listener-rule/${balancer}/${id}/${id}$`),
  'target group': new RegExp(`^${prefix}:targetgroup/[A-Za-z0-9-]+/${id}$`),
} as const;

/** The kinds of things that ELBv2 names by ARN. */
export type ArnKind = keyof typeof shapes;

/** Tells whether an ARN has the shape of its kind. */
export const isArn = (kind: ArnKind, arn: string): boolean => shapes[kind].test(arn);

/** Finds out what an ARN names. */
export function arnKindOf(arn: string): ArnKind | undefined {
  const kinds: readonly ArnKind[] = ['load balancer', 'listener', 'listener rule', 'target group'];
  return kinds.find((kind) => isArn(kind, arn));
}

const parent = (arn: string): string => arn.slice(0, arn.lastIndexOf('/'));

/** Reads the listener out of the ARN of one of its rules. */
export const listenerOfRule = (ruleArn: string): string =>
  parent(ruleArn).replace(':listener-rule/', ':listener/');

/** Reads the load balancer out of the ARN of one of its listeners. */
export const loadBalancerOfListener = (listenerArn: string): string =>
  parent(listenerArn).replace(':listener/', ':loadbalancer/');
