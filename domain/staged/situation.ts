import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import type { ObservedStaged, PresentPolicy } from './observation.ts';

/** What a turn looks at. */
export interface Situation {
  readonly observed: ObservedStaged;
  readonly object: PresentPolicy;
  readonly spec: StagedBindingPolicySpec;
  readonly now: number;
}
