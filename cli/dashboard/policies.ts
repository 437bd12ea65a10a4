import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { inOneLine } from '../terminal-text.ts';
import { inOrder } from '../okractl/watched.ts';
import { toneOfPolicy } from './tone.ts';
import type { PolicyRow } from './view.ts';

/** The StagedBindingPolicies by name, with their stages. */
export const policiesOf = (
  policies: ReadonlyMap<string, Pick<StagedBindingPolicy, 'spec' | 'status'>>,
): readonly PolicyRow[] =>
  inOrder(policies).map(([name, { spec, status = {} }]) => {
    const { phase = 'Pending', message = 'Nobody has looked at it yet: okrad may not run.' } = status;
    return {
      name,
      phase,
      tone: toneOfPolicy(phase),
      message: inOneLine(message),
      stages: spec.stages.map((stage) => {
        const stands = status.stages?.find((one) => one.name === stage.name)?.phase ?? 'Pending';
        return { name: stage.name, phase: stands, tone: toneOfPolicy(stands) };
      }),
    };
  });
