/** What of an object's metadata is looked at. */
export interface InformedMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** An object of any kind, as an informer knows it. */
export interface Informed {
  readonly metadata: InformedMetadata;
}

/** What became known of an object; `old` is how it was known before. */
export type ObjectEvent<T> =
  | { readonly type: 'add'; readonly object: T }
  | { readonly type: 'update'; readonly object: T; readonly old: T }
  | { readonly type: 'delete'; readonly object: T };
