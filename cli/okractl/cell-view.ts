import type { Cell } from '../../crds/cell.ts';
import type { Freezing } from '../../domain/gates/freeze.ts';
import type { WeightedTargetGroup } from '../../domain/model/target-group.ts';

/** An Event of Kubernetes, as far as it is shown. */
export interface ShownEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
}

/** What the configuration of the Cell's load balancer asks for. */
export type Asked =
  | {
      readonly is: 'Known';
      readonly targetGroups: readonly WeightedTargetGroup[];
      readonly isApplied: boolean;
    }
  | { readonly is: 'Nothing' }
  /** The person may not read it, say. */
  | { readonly is: 'Unknown'; readonly why: string };

/** All that is shown of a Cell. */
export interface CellView {
  readonly cell: Cell;
  readonly asked: Asked;
  readonly freezes: readonly Freezing[];
  readonly events: readonly ShownEvent[];
  /** Where it is in the Web UI of Temporal; undefined when nobody knows. */
  readonly url?: string | undefined;
}
