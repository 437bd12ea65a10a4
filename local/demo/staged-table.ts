import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';

const widths = [8, 6, 12, 10, 34] as const;

const line = (cells: readonly string[]): string =>
  `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' ')}`.trimEnd();

/** Prints a table of how a StagedBindingPolicy stands, with a row for each change. */
export function stagedTable(
  say: (text: string) => void,
): (seconds: number, status: StagedBindingPolicyStatus, policies: readonly string[]) => void {
  say(line(['seconds', 'stage', 'phase', 'fulfilled', 'BindingPolicies', 'what is happening']));
  let seen = '';
  return (seconds, { activeStage = '', phase = '', fulfilled = '', message = '' }, policies) => {
    const cells = [activeStage, phase, fulfilled, policies.join(' '), message];
    if (cells.join('|') === seen) return;
    seen = cells.join('|');
    say(line([seconds.toFixed(1).padStart(7), ...cells]));
  };
}
