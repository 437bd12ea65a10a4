import type { KindRef } from './kinds.ts';

/** The name of an object, and its namespace unless its kind has none. */
export interface Key {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Where the API says which kinds it serves of a group and version. */
export const versionPath = ({ apiVersion }: KindRef): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** Where the API serves the objects of a kind, of all namespaces or of one. */
export function kindPath(kind: KindRef, namespace?: string): string {
  const root = versionPath(kind);
  const inNamespace = kind.namespaced && namespace !== undefined;
  return `${root}${inNamespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${kind.plural}`;
}

/** Where the API serves an object, or a part of it. */
export function objectPath(kind: KindRef, key: Key, subresource?: 'status'): string {
  const path = `${kindPath(kind, key.namespace ?? 'default')}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
