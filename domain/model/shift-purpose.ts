interface ShiftRule {
  /** What is checked just before the write: `minHealthyTargets` of each group that gains, or a registered target of each that joins. */
  readonly needs: 'Healthy' | 'Registered' | 'Nothing';
  /** Whether it takes traffic back: it goes before everything else, and ELBv2 is written before the objects. */
  readonly isUrgent: boolean;
  /** Whether it waits after changes that undid one another, and counts as one of them. */
  readonly damping: 'Counted' | 'Waits' | 'None';
}

/** What each change of weights needs, by its purpose; docs/design.md shows it. */
export const shiftPurposes = {
  Adopting: { needs: 'Nothing', isUrgent: false, damping: 'None' },
  Installing: { needs: 'Registered', isUrgent: false, damping: 'Waits' },
  Reinstalling: { needs: 'Nothing', isUrgent: true, damping: 'Waits' },
  AttachingTargetGroups: { needs: 'Registered', isUrgent: false, damping: 'None' },
  ShiftingTraffic: { needs: 'Healthy', isUrgent: false, damping: 'Waits' },
  Reverting: { needs: 'Nothing', isUrgent: true, damping: 'None' },
  FallingBack: { needs: 'Nothing', isUrgent: true, damping: 'Counted' },
  RollingBack: { needs: 'Healthy', isUrgent: true, damping: 'Counted' },
  Rebalancing: { needs: 'Healthy', isUrgent: false, damping: 'Counted' },
  RemovingTargetGroups: { needs: 'Healthy', isUrgent: false, damping: 'Counted' },
  Evacuating: { needs: 'Healthy', isUrgent: false, damping: 'None' },
  Restoring: { needs: 'Nothing', isUrgent: false, damping: 'Waits' },
  Reconfiguring: { needs: 'Nothing', isUrgent: false, damping: 'None' },
  DetachingTargetGroups: { needs: 'Nothing', isUrgent: false, damping: 'None' },
} as const satisfies Readonly<Record<string, ShiftRule>>;

/** What a change of weights is for. */
export type ShiftPurpose = keyof typeof shiftPurposes;

/** Whether a change of weights takes traffic back and goes before everything else. */
export const isUrgent = ({ purpose }: { readonly purpose: ShiftPurpose }): boolean =>
  shiftPurposes[purpose].isUrgent;
