import type { StagedBindingPolicySpec, Stage } from '../../crds/staged-binding-policy.ts';
import { canonical } from '../kubernetes/canonical.ts';
import { isRecord } from '../model/shape.ts';
import { REPORTS } from './reports.ts';

/** The label on a BindingPolicy with the uid of the StagedBindingPolicy that it belongs to. */
export const STAGED_UID_LABEL = 'okra.mumo.co/staged-binding-policy-uid';

/** The label on a BindingPolicy that names its stage. */
export const STAGE_LABEL = 'okra.mumo.co/stage';

/** A BindingPolicy, as far as Okra looks at it. */
export interface BindingPolicy {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
  readonly status?: { readonly observedGeneration?: number; readonly errors?: readonly string[] };
}

/** The name of the BindingPolicy of a stage; KubeStellar gives its Binding the same. */
export const policyName = (name: string, stage: string): string => `${name}-${stage}`;

/** What the BindingPolicy of a stage is to say: what the StagedBindingPolicy does, and that Okra's own StatusCollector reports as well. */
export function policySpec({ downsync }: Pick<StagedBindingPolicySpec, 'downsync'>, stage: Stage): object {
  return {
    clusterSelectors: stage.clusterSelectors,
    downsync: downsync.map((clause) => ({
      ...clause,
      statusCollectors: [...(clause.statusCollectors ?? []).filter((one) => one !== REPORTS), REPORTS],
    })),
  };
}

/** Whether a BindingPolicy says what it is to say; fields that somebody fills in beside are left alone. */
export const saysWhatItShould = (policy: BindingPolicy, spec: object): boolean =>
  covers(policy.spec, JSON.parse(canonical(spec)));

function covers(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((one, index) => covers(found[index], one))
    );
  }
  if (!isRecord(wanted)) return found === wanted;
  return isRecord(found) && Object.entries(wanted).every(([key, one]) => covers(found[key], one));
}
