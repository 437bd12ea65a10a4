import { actionRules } from './actions.ts';
import { attributeRules, groupAttributeRules } from './attributes.ts';
import { authenticationRules, transformRules } from './authentication.ts';
import { conditionRules } from './conditions.ts';
import { crossZoneRules } from './cross-zone.ts';
import { existenceRules, formRules } from './existence.ts';
import { forwardRules } from './forward.ts';
import { groupRules } from './groups.ts';
import { healthCheckFormRules, healthCheckRules } from './health-checks.ts';
import { networkRules } from './network-rules.ts';
import { priorityRangeRules, priorityRules } from './priorities.ts';
import type { Judged, Refusal, Rule } from './refusal.ts';
import { requestRules, tagQuotaRules } from './requests.ts';
import { stickinessRules } from './stickiness.ts';
import { targetQuotaRules } from './target-quotas.ts';
import { targetFormRules, targetGroupRules } from './targets.ts';

/** Everything the proxy refuses as AWS does, in the order in which it is judged: form first, then state, then quotas. */
export const rules: readonly Rule[] = [
  ...formRules,
  ...requestRules,
  ...conditionRules,
  ...actionRules,
  ...authenticationRules,
  ...transformRules,
  ...forwardRules,
  ...attributeRules,
  ...targetFormRules,
  ...healthCheckFormRules,
  ...priorityRangeRules,
  ...existenceRules,
  ...networkRules,
  ...groupRules,
  ...groupAttributeRules,
  ...targetGroupRules,
  ...healthCheckRules,
  ...stickinessRules,
  ...crossZoneRules,
  ...priorityRules,
  ...targetQuotaRules,
  ...tagQuotaRules,
];

/** A refusal together with the rule that gave it. */
export interface Verdict {
  readonly rule: string;
  readonly refusal: Refusal;
}

/** Judges a call by every rule; nothing means that AWS would take it. */
export function judge(call: Judged): Verdict | undefined {
  for (const rule of rules) {
    if (rule.actions.length > 0 && !rule.actions.includes(call.action)) continue;
    const refusal = rule.refuse(call);
    if (refusal !== undefined) return { rule: rule.name, refusal };
  }
  return undefined;
}
