import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { INSTALLATION_NAME } from '../../clients/kubernetes/installation.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { OWNER_TAG } from '../../domain/kubernetes/labels.ts';
import {
  isNamesake,
  keyInTag,
  ownershipOf,
  ownerTag,
  type Owner,
} from '../../domain/load-balancers/owner-tag.ts';
import type { Adoption } from '../contract.ts';
import { failure, unlessError } from '../failure.ts';
import type { LoadBalancerDependencies } from './port.ts';

interface RuleClaim {
  readonly owner: Owner;
  readonly adopt: Adoption;
  /** What is claimed, for people: `priority 10 of the listener`. */
  readonly what: string;
  /** Whether it may be taken over without being asked for when nobody owns it. */
  readonly isOurs?: boolean;
}

/** What has to be done before a rule or a listener is written to: nothing, or to take it over. */
type Claimed = 'Ours' | 'TakeOver';

/** Gives an object as an owner; the installation is asked for only when it is needed. */
export const ownerIn =
  ({ installation }: Pick<LoadBalancerDependencies, 'installation'>, key: ObjectKey) =>
  async (): Promise<Owner> => ({ key, installation: await installation() });

/** Who owns a rule or a listener, as its tag says. */
export async function ownerOf(elbv2: ELBv2, arn: string, signal: AbortSignal): Promise<string | undefined> {
  return (await elbv2.tagsOf(arn, signal))[OWNER_TAG];
}

/** Who owns a rule; also undefined where reads do not show the rule, or not yet. */
export const ownerIfShown = (
  elbv2: ELBv2,
  ruleARN: string,
  signal: AbortSignal,
): Promise<string | undefined> => unlessError('RuleNotFound', ownerOf(elbv2, ruleARN, signal));

// By these tags the AWS Load Balancer Controller knows its listeners (pkg/deploy/tracking).
const CONTROLLER_TAG = /^(?:elbv2|ingress|service)\.k8s\.aws\//;

/** Throws a `Conflict` where the AWS Load Balancer Controller manages a listener: it deletes rules that no Ingress has, and reverts default actions. */
export function refuseManaged(listenerARN: string, tags: Readonly<Record<string, string>>): void {
  const found = Object.entries(tags).filter(([key]) => CONTROLLER_TAG.test(key));
  if (found.length === 0) return;
  const said = found.map(([key, value]) => `${key}=${value}`).join(', ');
  throw failure(
    'Conflict',
    `cannot write to listener ${listenerARN}: the AWS Load Balancer Controller manages it (${said}), and deletes the rules and reverts the default action that none of its Ingresses and Services has. Name a listener of your own; or, if no controller manages this one any more, remove these tags from it.`,
  );
}

const mayTakeFrom = (adopt: Adoption, { key }: Owner, tag: string | undefined): boolean =>
  adopt === 'NotOfOthers' ? keyInTag(tag)?.namespace === key.namespace : adopt;

/** Says whether someone has to take a rule or a listener over before writing to it; throws a `Conflict` when that is not allowed. */
export function claimed(
  { owner, adopt, what, isOurs = false }: RuleClaim,
  arn: string,
  tag?: string,
): Claimed {
  const ownership = ownershipOf(owner, tag);
  if (ownership === 'Ours') return 'Ours';
  if (ownership === 'Nobodys' ? adopt !== false || isOurs : mayTakeFrom(adopt, owner, tag)) return 'TakeOver';
  throw failure(
    'Conflict',
    `Cannot use ${what} for ${formatKey(owner.key)}: ${whose(owner, tag)} (${arn}). Choose another, or set the annotation okra.mumo.co/adopt to "true" on the Cell, or on a configuration of your own, to take it over.${remedyOf(owner, tag)}`,
  );
}

const whose = ({ key, installation }: Owner, tag: string | undefined): string => {
  if (tag === undefined) return 'Okra did not create it';
  return isNamesake({ key }, tag)
    ? `it belongs to ${tag}, the object of that name of another installation (this one is ${installation})`
    : `it belongs to ${tag}`;
};

const remedyOf = (owner: Owner, tag: string | undefined): string =>
  tag !== undefined && isNamesake(owner, tag)
    ? ` Where this installation has lost its id, make the ConfigMap ${INSTALLATION_NAME} again with the id in that tag.`
    : '';

/** Tags a rule or a listener as someone's. */
export const takeOver = (elbv2: ELBv2, arn: string, owner: Owner): Promise<void> =>
  elbv2.tag(arn, { [OWNER_TAG]: ownerTag(owner) });

/** Says for people how the tag of what an object serves is another than its own; undefined when it need not be written. */
export function describeTag(owner: Owner, tag: string | undefined): string | undefined {
  // Without a tag it is the owner's still: tools that keep tags as their own files say take those off that they do not know.
  return ownershipOf(owner, tag) === 'Foreign' ? `It belongs to ${tag} now.` : undefined;
}
