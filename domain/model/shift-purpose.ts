/** What has to be true before a change of weights, and what it waits for. */
interface ShiftRule {
  /**
   * What is looked at just before the write: that each group that gains has `minHealthyTargets`, or that each group that joins the
   * rule has a registered target.
   */
  readonly needs: 'Healthy' | 'Registered' | 'Nothing';
  /** Whether it takes traffic back: it goes before everything else, and ELBv2 is written before the objects. */
  readonly isUrgent: boolean;
  /** Whether it waits after changes that undid one another, and counts as one of them. */
  readonly damping: 'Counted' | 'Waits' | 'None';
}

/** What each change of weights needs, by its purpose; docs/design.md shows it. */
export const shiftPurposes = {
  Adopt: { needs: 'Nothing', isUrgent: false, damping: 'None' },
  Install: { needs: 'Registered', isUrgent: false, damping: 'Waits' },
  Reinstall: { needs: 'Nothing', isUrgent: true, damping: 'Waits' },
  Attach: { needs: 'Registered', isUrgent: false, damping: 'None' },
  Step: { needs: 'Healthy', isUrgent: false, damping: 'Waits' },
  TakeBack: { needs: 'Nothing', isUrgent: true, damping: 'None' },
  FallBack: { needs: 'Nothing', isUrgent: true, damping: 'Counted' },
  RollBack: { needs: 'Healthy', isUrgent: true, damping: 'Counted' },
  Rebalance: { needs: 'Healthy', isUrgent: false, damping: 'Counted' },
  TakeOut: { needs: 'Healthy', isUrgent: false, damping: 'Counted' },
  Evacuate: { needs: 'Healthy', isUrgent: false, damping: 'None' },
  Restore: { needs: 'Nothing', isUrgent: false, damping: 'Waits' },
  Reconfigure: { needs: 'Nothing', isUrgent: false, damping: 'None' },
  Detach: { needs: 'Nothing', isUrgent: false, damping: 'None' },
} as const satisfies Readonly<Record<string, ShiftRule>>;

/** What a change of weights is for. */
export type ShiftPurpose = keyof typeof shiftPurposes;

/** Whether a change of weights takes traffic back and goes before everything else. */
export const isUrgent = ({ purpose }: { readonly purpose: ShiftPurpose }): boolean =>
  shiftPurposes[purpose].isUrgent;
