import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { CellSpec } from '../../../crds/cell.ts';
import { listenerARN as sampleListener } from './arns.ts';

/** An object as it stands in a manifest. */
export interface Manifest<Spec = object> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Spec;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** The manifests of the first getting-started guide. */
export interface GettingStarted {
  readonly clusterSet: Manifest;
  readonly targetGroup: Manifest;
  readonly targetGroupSet: Manifest;
  readonly targetGroupBinding: Manifest;
  readonly cell: Manifest<CellSpec>;
  readonly cellWithAnalysis: Manifest<CellSpec>;
  readonly cellWithExperiment: Manifest<CellSpec>;
  readonly replicaSet: Manifest<{ readonly selector: object; readonly template: PodTemplate }>;
}

const file = new URL('getting-started.yaml', import.meta.url);

/** Reads the manifests as they stand, with another listener if one is named. */
export function gettingStarted(listenerARN: string = sampleListener): GettingStarted {
  const text = readFileSync(file, 'utf8').replaceAll(sampleListener, listenerARN);
  const [
    clusterSet,
    targetGroup,
    targetGroupSet,
    targetGroupBinding,
    cell,
    cellWithAnalysis,
    cellWithExperiment,
    replicaSet,
  ] = parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS();
  });
  return {
    clusterSet,
    targetGroup,
    targetGroupSet,
    targetGroupBinding,
    cell,
    cellWithAnalysis,
    cellWithExperiment,
    replicaSet,
  };
}
