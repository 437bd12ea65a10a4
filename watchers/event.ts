import type { Metadata } from '../crds/resource.ts';

/** An object of any kind, as an informer knows it. */
export interface Informed {
  readonly metadata: Pick<Metadata, 'name' | 'namespace' | 'uid' | 'resourceVersion'>;
}

/** What became known of an object; `old` is how it was known before. */
export type ObjectEvent<T> =
  | { readonly type: 'add'; readonly object: T }
  | { readonly type: 'update'; readonly object: T; readonly old: T }
  | { readonly type: 'delete'; readonly object: T };
