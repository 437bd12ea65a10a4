import { type Fields, fieldsOf, text } from './protocol/fields.ts';
import { usualReason, type TargetsInput } from './switches.ts';
import type { Leaving } from './world/ages.ts';

/** The health of one target as the log shows it. */
export interface TargetView {
  readonly id: string;
  readonly state: string;
  readonly reason?: string;
}

const idOf = (description: Fields): string => text(fieldsOf(description, 'Target'), 'Id') ?? '';

const descriptions: Readonly<Record<string, string>> = {
  'Target.NotInUse': 'Target group is not configured to receive traffic from the load balancer',
  'Elb.InitialHealthChecking': 'Initial health checks in progress',
  'Elb.RegistrationInProgress': 'Target registration is in progress',
  'Target.FailedHealthChecks': 'Health checks failed',
  'Target.ResponseCodeMismatch': 'Health checks failed with these codes: [500]',
  'Target.Timeout': 'Request timed out',
  'Target.DeregistrationInProgress': 'Target deregistration is in progress',
  'Target.HealthCheckDisabled': 'Health checks are not enabled for this target',
};

function healthOf(state: string, reason: string | undefined): Fields {
  if (reason === undefined) return { State: state };
  return { State: state, Reason: reason, Description: descriptions[reason] };
}

/** What else is known of targets. */
export interface Known {
  /** What a target was registered with. */
  readonly registered: (target: Fields) => Fields | undefined;
  /** Whether its first checks are still under way. */
  readonly isInitial: (target: Fields) => boolean;
  /** Whether it is in a zone that no load balancer of its group has. */
  readonly isElsewhere: (target: Fields) => boolean;
}

const nothing: Known = { registered: () => undefined, isInitial: () => false, isElsewhere: () => false };

const targetOf = (description: Fields): Fields => fieldsOf(description, 'Target');

/**
 * Shows the health of registered targets as AWS does: unused while no rule or listener names the group,
 * then initial, then healthy or what a test has set. Targets that the emulator does not call healthy stay as they are.
 */
export function showHealth(
  targets: readonly Fields[],
  inUse: boolean,
  setting: Omit<TargetsInput, 'targetGroupArn'> | undefined,
  known: Known = nothing,
): readonly Fields[] {
  const registered = targets.filter((one) => text(fieldsOf(one, 'TargetHealth'), 'State') === 'healthy');
  const ids = registered.map(idOf).toSorted();
  const chosen = new Set(setting?.count === undefined ? ids : ids.slice(0, setting.count));
  const health = (one: Fields): Fields => {
    if (!inUse || known.isElsewhere(targetOf(one))) return healthOf('unused', 'Target.NotInUse');
    if (setting !== undefined && chosen.has(idOf(one)))
      return healthOf(setting.state, setting.reason ?? usualReason(setting.state));
    return known.isInitial(targetOf(one))
      ? healthOf('initial', 'Elb.InitialHealthChecking')
      : healthOf('healthy', undefined);
  };
  return targets.map((one) => {
    if (!registered.includes(one)) return one;
    const target = targetOf(one);
    return { ...one, Target: { ...target, ...known.registered(target) }, TargetHealth: health(one) };
  });
}

/** Adds the targets that are leaving; where a caller has named targets, those alone are shown. */
export function drained(
  shown: readonly Fields[],
  leaving: readonly Leaving[],
  { keyOf, isFiltered }: { readonly keyOf: (target: Fields) => string; readonly isFiltered: boolean },
): readonly Fields[] {
  const TargetHealth = healthOf('draining', 'Target.DeregistrationInProgress');
  const isLeaving = (one: Fields): boolean => leaving.some(({ key }) => key === keyOf(targetOf(one)));
  const known = shown.map((one) => (isLeaving(one) ? { ...one, TargetHealth } : one));
  if (isFiltered) return known;
  return [...known, ...leaving.map(({ target }) => ({ Target: target, TargetHealth }))];
}

/** Shows targets as the log does. */
export function viewTargets(targets: readonly Fields[]): readonly TargetView[] {
  return targets.map((one) => {
    const health = fieldsOf(one, 'TargetHealth');
    const reason = text(health, 'Reason');
    const view = { id: idOf(one), state: text(health, 'State') ?? '' };
    return reason === undefined || reason === '' ? view : { ...view, reason };
  });
}
