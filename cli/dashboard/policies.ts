import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { inOneLine } from '../terminal-text.ts';
import { stageNamesIn } from '../okractl/describe.ts';
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
      stages: stageNamesIn(spec).map((stage) => {
        const stands = status.stages?.find((one) => one.name === stage)?.phase ?? 'Pending';
        return { name: stage, phase: stands, tone: toneOfPolicy(stands) };
      }),
    };
  });
