import type { Metadata } from '../crds/resource.ts';
import { controllerOf } from '../domain/controller.ts';
import type { Marks } from '../domain/discovery/generated.ts';

/** Of an object that there is, what decides about those that are generated. */
export interface Found extends Marks {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Its controller; undefined when it has none. */
  readonly owner?: { readonly uid: string; readonly name: string; readonly kind: string };
}

/** Reads it off the metadata of an object. */
export function foundOf(metadata: Metadata): Found {
  const { name, uid = '', resourceVersion = '', labels = {}, annotations = {} } = metadata;
  const owner = controllerOf(metadata);
  return {
    name,
    uid,
    resourceVersion,
    labels,
    annotations,
    ...(owner === undefined ? {} : { owner: { uid: owner.uid, name: owner.name, kind: owner.kind } }),
  };
}
