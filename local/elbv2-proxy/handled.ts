import type { Ask } from './emulator.ts';
import type { Faults } from './faults.ts';
import type { Policy } from './iam/policy.ts';
import type { CallLog, CallRecord } from './log.ts';
import type { Fields } from './protocol/fields.ts';
import type { AwsError } from './protocol/xml.ts';
import type { Fault, Settings, TargetsInput } from './switches.ts';
import type { Buckets } from './throttle.ts';
import type { Upstream } from './upstream.ts';
import type { Scope, Scopes } from './world/scopes.ts';

/** Everything that lives as long as the proxy. */
export interface ProxyState {
  readonly upstream: Upstream;
  readonly scopes: Scopes;
  readonly faults: Faults;
  readonly buckets: Buckets;
  readonly log: CallLog;
  readonly targets: Map<string, TargetsInput>;
  /** What callers may do, by access key; those without a policy may do everything. */
  readonly policies: Map<string, Policy>;
  settings: Settings;
  /** How many writes were applied. */
  applied: number;
}

/** What a caller gets: a result, an error, or a connection that ends without an answer. */
export type Reply =
  | { readonly kind: 'result'; readonly result: Fields }
  | { readonly kind: 'error'; readonly error: AwsError }
  | { readonly kind: 'drop' };

/** What the log says about a call beyond its answer. */
export type Notes = Partial<
  Pick<CallRecord, 'applied' | 'appliedOrder' | 'refusedBy' | 'fault' | 'before' | 'after' | 'health'>
>;

/** A call that was answered, with what the log says about it. */
export interface Handled {
  readonly reply: Reply;
  readonly notes: Notes;
}

/** One ELBv2 call with all that is needed to handle it. */
export interface Call {
  readonly action: string;
  readonly parameters: Fields;
  readonly state: ProxyState;
  readonly scope: Scope;
  readonly ask: Ask;
  /** A stale read that a fault asks for. */
  readonly staleFault: Fault | undefined;
  /** How long things take that a fault slows down. */
  readonly slow: readonly Fault[];
}

/** Answers with an error. */
export const failed = (error: AwsError, notes: Notes = {}): Handled => ({
  reply: { kind: 'error', error },
  notes,
});
