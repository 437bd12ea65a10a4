import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { ListenerRule } from '../../../crds/listener-rule.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { awsErrorType } from '../../failure.ts';
import type { Writing } from '../port.ts';

/** How a target group keeps clients with a target. */
export type TargetStickiness = NonNullable<ListenerRule['forward']['targetStickiness']>;

/** How target groups keep clients with a target, by ARN. */
export type StickinessByGroup = ReadonlyMap<string, TargetStickiness | undefined>;

// The attributes of a target group (API_TargetGroupAttribute).
const ENABLED = 'stickiness.enabled';
const TYPE = 'stickiness.type';
const LB_SECONDS = 'stickiness.lb_cookie.duration_seconds';
const APP_SECONDS = 'stickiness.app_cookie.duration_seconds';
const APP_COOKIE = 'stickiness.app_cookie.cookie_name';

/** Reads how target groups keep clients; one that is gone keeps none. */
export async function readStickiness(
  elbv2: ELBv2,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<StickinessByGroup> {
  const read = async (arn: string): Promise<[string, TargetStickiness | undefined]> => {
    try {
      return [arn, fromAttributes(await elbv2.attributesOf(arn, signal))];
    } catch (error) {
      if (awsErrorType(error) === 'TargetGroupNotFound') return [arn, undefined];
      throw error;
    }
  };
  return new Map(await Promise.all(arns.map(read)));
}

/** Makes target groups keep clients as wanted, or no longer; one that is gone needs nothing. */
export async function writeStickiness(
  elbv2: ELBv2,
  { permit }: Pick<Writing, 'permit'>,
  arns: readonly string[],
  wanted: TargetStickiness | undefined,
): Promise<void> {
  for (const arn of arns) {
    await permit();
    try {
      await elbv2.setAttributes(arn, toAttributes(wanted));
    } catch (error) {
      if (wanted !== undefined || awsErrorType(error) !== 'TargetGroupNotFound') throw error;
    }
  }
}

/** What groups do in common: what is wanted when all of them do that, else what one of them does instead. */
export function inCommon(
  found: StickinessByGroup,
  wanted: TargetStickiness | undefined,
): TargetStickiness | undefined {
  const others = [...found.values()].filter((one) => !same(one, wanted));
  return others.length === 0 ? wanted : others.find((one) => one !== undefined);
}

/** Whether two settings keep clients alike. */
export const same = (a: TargetStickiness | undefined, b: TargetStickiness | undefined): boolean =>
  canonical(a ?? null) === canonical(b ?? null);

function toAttributes(wanted: TargetStickiness | undefined): Readonly<Record<string, string>> {
  if (wanted === undefined) return { [ENABLED]: 'false' };
  const { type, durationSeconds, cookieName = '' } = wanted;
  const seconds = String(durationSeconds);
  const cookie =
    type === 'lb_cookie' ? { [LB_SECONDS]: seconds } : { [APP_COOKIE]: cookieName, [APP_SECONDS]: seconds };
  return { [ENABLED]: 'true', [TYPE]: type, ...cookie };
}

function fromAttributes(attributes: Readonly<Record<string, string>>): TargetStickiness | undefined {
  if (attributes[ENABLED] !== 'true') return undefined;
  if (attributes[TYPE] !== 'app_cookie') {
    return { type: 'lb_cookie', durationSeconds: Number(attributes[LB_SECONDS] ?? 86_400) };
  }
  return {
    type: 'app_cookie',
    durationSeconds: Number(attributes[APP_SECONDS] ?? 86_400),
    cookieName: attributes[APP_COOKIE] ?? '',
  };
}
