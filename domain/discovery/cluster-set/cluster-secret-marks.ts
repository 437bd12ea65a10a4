import type { Marks } from '../generated.ts';
import type { Owned } from '../handover.ts';
/** A secret that there is, as far as it matters. */
export interface ExistingSecret extends Owned, Marks {
  readonly uid: string;
  readonly content: Readonly<Record<string, string>>;
}

/** A secret as it is to be. */
export interface DesiredSecret extends Marks {
  readonly name: string;
  /** The values of `name`, `server` and `config`. */
  readonly content: Readonly<Record<'name' | 'server' | 'config', string>>;
}
