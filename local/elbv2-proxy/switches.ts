import { z } from 'zod';
import { policySchema } from './iam/policy.ts';
import { actions } from './protocol/actions.ts';

const milliseconds = z.int().min(0).max(600_000);

const bucket = z.strictObject({ burst: z.number().min(1), perSecond: z.number().min(0) });

const throttleCode = z.enum(['Throttling', 'ThrottlingException']);

const staleness = z.union([z.strictObject({ ms: milliseconds }), z.strictObject({ calls: z.int().min(1) })], {
  error: 'Expected {"ms":n} or {"calls":n}',
});

/** What applies to every ELBv2 call. */
export const settingsSchema = z.strictObject({
  pageSize: z.int().min(1).max(400),
  /** How many pages of a list are that small; after them the rest comes at once. */
  smallPages: z.int().min(0),
  delayMs: milliseconds,
  throttle: z
    .strictObject({
      code: throttleCode,
      reads: bucket,
      /** Everything that changes something, but for registrations. */
      writes: bucket,
      /** RegisterTargets and DeregisterTargets; as AWS has it when absent. */
      registrations: bucket.optional(),
    })
    .nullable(),
  staleReads: staleness.nullable(),
  /** How long reads do not see a rule that was created. */
  newRulesUnseenMs: milliseconds,
  /** How long a target is `initial` before it is `healthy`. */
  initialMs: milliseconds,
  /** How long a target is `draining` after it was deregistered, at most as long as its group says. */
  drainingMs: milliseconds,
});

/** What applies to every ELBv2 call. */
export type Settings = z.infer<typeof settingsSchema>;

/** Some of the settings; the others stay. */
export const settingsChangeSchema = settingsSchema.partial();

/** Small pages, enough of them to lose whoever follows one marker only, and nothing that fails by itself. */
export const defaultSettings: Settings = {
  pageSize: 2,
  smallPages: 2,
  delayMs: 0,
  throttle: null,
  staleReads: null,
  newRulesUnseenMs: 0,
  initialMs: 0,
  drainingMs: 0,
};

/** The buckets of an account and region, as AWS has them since March 2026. */
export const awsBuckets = {
  reads: { burst: 200, perSecond: 50 },
  writes: { burst: 20, perSecond: 3 },
  registrations: { burst: 20, perSecond: 4 },
} as const;

/** The kinds of faults that let something take its time, as AWS does. */
export const slowness = ['unseen', 'initial', 'draining'] as const;

const action = z.enum(actions as [string, ...string[]]);

const match = z.strictObject({
  /** One action or several; any action when absent. */
  action: z
    .union([action, z.array(action).min(1)], {
      error: 'Expected an ELBv2 action, such as ModifyRule, or a list of them',
    })
    .optional(),
  /** A part of any parameter, such as a listener ARN or `app/test1/`; any call when absent. */
  contains: z.string().min(1).optional(),
});

/** Which calls a fault is for. */
export type Match = z.infer<typeof match>;

/** Whether a fault lets something take its time. */
export const isSlow = (kind: string): boolean => (slowness as readonly string[]).includes(kind);

/** A fault for the next matching calls. */
export const faultSchema = z
  .strictObject({
    kind: z.enum(['throttle', 'error', 'drop', 'delay', 'stale', ...slowness]),
    when: z.enum(['before', 'after']).default('before'),
    match: match.default({}),
    times: z
      .union([z.int().min(1), z.literal('always')], {
        error: 'Expected a number of calls from 1 on, or "always"',
      })
      .default(1),
    code: z.string().min(1).optional(),
    status: z.int().min(400).max(599).optional(),
    message: z.string().optional(),
    delayMs: milliseconds.optional(),
    staleMs: milliseconds.optional(),
    bucket: bucket.optional(),
    forMs: milliseconds.optional(),
  })
  .refine((fault) => !isSlow(fault.kind) || fault.forMs !== undefined, {
    path: ['forMs'],
    message:
      'Expected forMs for a fault of kind "unseen", "initial" or "draining", got none; say how long it takes',
  })
  .refine((fault) => fault.kind !== 'delay' || fault.delayMs !== undefined, {
    path: ['delayMs'],
    message: 'Expected delayMs for a fault of kind "delay", got none; say how many milliseconds to wait',
  })
  .refine((fault) => fault.when === 'before' || !['throttle', 'stale', ...slowness].includes(fault.kind), {
    path: ['when'],
    message:
      'Expected "before" for a fault of another kind than "error", "drop" or "delay"; it is about reads',
  })
  .refine((fault) => fault.bucket === undefined || fault.kind === 'throttle', {
    path: ['bucket'],
    message: 'Expected a bucket only with a fault of kind "throttle"; leave it out or change the kind',
  });

/** A fault as it is asked for. */
export type FaultInput = z.input<typeof faultSchema>;

/** A fault with its defaults filled in. */
export type Fault = z.infer<typeof faultSchema>;

const reasons = {
  healthy: [undefined],
  initial: ['Elb.InitialHealthChecking', 'Elb.RegistrationInProgress'],
  unhealthy: [
    'Target.FailedHealthChecks',
    'Target.ResponseCodeMismatch',
    'Target.Timeout',
    'Elb.InternalError',
  ],
  unused: ['Target.NotInUse', 'Target.InvalidState', 'Target.IpUnusable', 'Target.NotRegistered'],
  draining: ['Target.DeregistrationInProgress'],
  unavailable: ['Target.HealthCheckDisabled', 'Elb.InternalError'],
} as const;

type State = keyof typeof reasons;

/** The reason that AWS gives first for a state of a target. */
export const usualReason = (state: State): string | undefined => reasons[state][0];

/** What the targets of a group are said to be while the group is in use. */
export const targetsSchema = z
  .strictObject({
    targetGroupArn: z.string().startsWith('arn:'),
    state: z.enum(['healthy', 'initial', 'unhealthy', 'unused', 'draining', 'unavailable']),
    reason: z.string().optional(),
    /** How many targets, in the order of their ids; all when absent. */
    count: z.int().min(0).optional(),
  })
  .superRefine((targets, context) => {
    const allowed: readonly (string | undefined)[] = reasons[targets.state];
    if (targets.reason === undefined || allowed.includes(targets.reason)) return;
    const message = `Expected a reason of the state "${targets.state}" (${allowed.join(', ') || 'none'}), got "${targets.reason}"`;
    context.addIssue({ code: 'custom', path: ['reason'], message });
  });

/** What the targets of a group are said to be while the group is in use. */
export type TargetsInput = z.infer<typeof targetsSchema>;

/** What the caller with an access key may do, as an IAM policy. */
export const callerPolicySchema = z.strictObject({ accessKey: z.string().min(1), policy: policySchema });
