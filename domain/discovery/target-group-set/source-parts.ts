import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import type { ExistingGroup } from './observed-target-group-set.ts';
import type { BindingAPI } from './target-group-of-binding.ts';

/** What a group is made of, in its parts. */
export interface SourceParts {
  readonly source: string;
  readonly secret: string;
  readonly namespace: string;
  readonly name: string;
  readonly api: BindingAPI;
}

/** What a group is made of; undefined when it has lost where it is from. */
export function sourceParts({ annotations }: Pick<ExistingGroup, 'annotations'>): SourceParts | undefined {
  const source = annotations[SOURCE_ANNOTATION];
  const [secret, namespace, name, api] = source?.split('/') ?? [];
  if (source === undefined || secret === undefined || namespace === undefined || name === undefined)
    return undefined;
  return { source, secret, namespace, name, api: api === EKS ? EKS : 'elbv2.k8s.aws' };
}

const EKS = 'eks.amazonaws.com';

/** Whether a group is made of the template of its set: that is in no namespace of the cluster, and has its own name there. */
export function isRendered(group: Pick<ExistingGroup, 'name' | 'annotations'>): boolean {
  const from = sourceParts(group);
  return from?.namespace === 'rendered' && from.name === group.name;
}
