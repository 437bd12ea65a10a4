import type { Tone } from '../tones.ts';

/**
 * A text of a table, with its tone, where it leads or the reason that the docs explain, or several; a text that is a time is shown
 * by how far away it is.
 */
export type TableCell =
  | string
  | { readonly text: string; readonly tone?: Tone; readonly href?: string; readonly reason?: string }
  | { readonly list: readonly TableCell[] };

/** A table with what is said above it; it is left out where neither is there. */
export interface TableView {
  readonly title: string;
  readonly text?: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
}
