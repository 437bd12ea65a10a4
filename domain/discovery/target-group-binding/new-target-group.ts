import { given } from '../../model/fields.ts';
import type { BindingTarget, NewTargetGroup } from '../../../crds/aws-target-group-binding.ts';
import { formatKey, type ObjectKey, type ObjectRef } from '../../model/ids.ts';
import { OWNER_TAG, UID_TAG } from '../../kubernetes/labels.ts';
import { withoutEnd } from '../../text.ts';
import type { Problem } from '../sync-status.ts';

type AskedHealthCheck = NonNullable<NewTargetGroup['healthCheck']>;

/** How targets are checked, as ELBv2 spells it: what is asked for, or what AWS has. */
export type HealthCheck<Protocol = AskedHealthCheck['protocol']> = Readonly<
  Omit<AskedHealthCheck, 'port' | 'protocol'>
> & { readonly port?: string | undefined; readonly protocol?: Protocol | undefined };

/** A target group as AWS has it. */
export interface ExistingTargetGroup {
  readonly protocol?: string | undefined;
  readonly port?: number | undefined;
  readonly vpcID?: string | undefined;
  readonly targetType?: string | undefined;
  readonly healthCheck: HealthCheck<string>;
}

// API_CreateTargetGroup: at most 32 letters, digits and hyphens, and no hyphen at either end.
const LONGEST_NAME = 32;
const DIGEST_LENGTH = 10;
const LONGEST_TAG = 256;

/** The name of the target group of an object: readable, and no other object's, because of the digest of its uid. */
export function targetGroupName(key: ObjectKey, digestOfUid: string): string {
  const readable = `${key.namespace}-${key.name}`
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, LONGEST_NAME - DIGEST_LENGTH - 1)
    .replace(/^-+/, '');
  return `${withoutEnd(readable, '-')}-${digestOfUid.slice(0, DIGEST_LENGTH)}`.replace(/^-+/, '');
}

/** The tags that say whose a target group is. */
export const targetGroupTags = ({ key, uid }: ObjectRef): Readonly<Record<string, string>> => ({
  [OWNER_TAG]: formatKey(key).slice(0, LONGEST_TAG),
  [UID_TAG]: uid,
});

/** Whether a target group with these tags was created for an object. */
export const isCreatedFor = (owner: ObjectRef, tags: Readonly<Record<string, string>>): boolean =>
  Object.entries(targetGroupTags(owner)).every(([key, value]) => tags[key] === value);

/** The name, port, health check and tags of the target group to create; AWS chooses the rest of the check. */
export function desiredTargetGroup(
  group: NewTargetGroup,
  targets: readonly BindingTarget[],
  of: ObjectRef & { readonly digestOfUid: string },
) {
  return {
    name: targetGroupName(of.key, of.digestOfUid),
    // A schema demands that there is a target.
    port: group.port ?? targets[0]?.port ?? 80,
    healthCheck: inStep(askedHealthCheck(group.healthCheck), chosenBy(group)),
    tags: targetGroupTags(of),
  };
}

/** Compares a target group with what is asked for: what to change of its health check, if anything, and what AWS cannot change. */
export function compareTargetGroup(
  group: NewTargetGroup,
  existing: ExistingTargetGroup,
): { readonly healthCheck?: HealthCheck; readonly problems: readonly Problem[] } {
  const fixed = [
    ['protocol', group.protocol, existing.protocol],
    // A default that nobody asked for, and that no target is registered with, is no difference.
    ['port', group.port ?? existing.port, existing.port],
    ['vpcID', group.vpcID ?? existing.vpcID, existing.vpcID],
    ['targetType', group.targetType, existing.targetType],
  ] as const;
  const problems = fixed
    .filter(([, asked, got]) => asked !== got)
    .map(([field, asked, got]) => cannotChange(field, asked, got));
  const asked = inStep(askedHealthCheck(group.healthCheck), {
    ...chosenBy(group),
    ...timesOf(existing.healthCheck),
  });
  const { healthCheck: found } = existing;
  const isSame = Object.entries(asked).every(
    ([field, value]) => value === undefined || value === found[field as keyof HealthCheck],
  );
  return { problems, ...(isSame ? {} : { healthCheck: asked }) };
}

function askedHealthCheck(asked: NewTargetGroup['healthCheck'] = {}): HealthCheck {
  const { port, ...others } = asked;
  return port === undefined ? others : { ...others, port: String(port) };
}

type Times = Record<'intervalSeconds' | 'timeoutSeconds', number>;

/** What AWS chooses at most (API_CreateTargetGroup): 30 s between two checks; 6 s for one where all is HTTP, 10 s otherwise. */
function chosenBy({ protocol, healthCheck }: NewTargetGroup): Times {
  const isHTTP = protocol === 'HTTP' && (healthCheck?.protocol ?? 'HTTP') === 'HTTP';
  return { intervalSeconds: 30, timeoutSeconds: isHTTP ? 6 : 10 };
}

const timesOf = ({ intervalSeconds, timeoutSeconds }: HealthCheck<string>): Partial<Times> =>
  given({ intervalSeconds, timeoutSeconds });

/** AWS refuses an interval that is not above the timeout, so that where one of them is asked for, the other makes way. */
function inStep(asked: HealthCheck, otherwise: Times): HealthCheck {
  const { intervalSeconds, timeoutSeconds } = { ...otherwise, ...timesOf(asked) };
  if (intervalSeconds > timeoutSeconds) return asked;
  if (asked.timeoutSeconds === undefined && asked.intervalSeconds !== undefined)
    return { ...asked, timeoutSeconds: intervalSeconds - 1 };
  return asked.intervalSeconds === undefined && asked.timeoutSeconds !== undefined
    ? { ...asked, intervalSeconds: timeoutSeconds + 5 }
    : asked;
}

const cannotChange = (field: string, asked: unknown, got: unknown): Problem => ({
  object: `spec.targetGroup.${field}`,
  reason: 'ImmutableTargetGroup',
  message: `Cannot change spec.targetGroup.${field} from ${String(got)} to ${String(asked)}: AWS cannot change it for an existing target group. Set it back, or create another AWSTargetGroupBinding.`,
});
