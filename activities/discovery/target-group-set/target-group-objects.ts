import {
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  type KindRef,
} from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../../crds/aws-target-group.ts';
import { awsTargetGroupBinding, type AWSTargetGroupBinding } from '../../../crds/aws-target-group-binding.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { patchMarks, type Marks, mergePatch } from '../../../domain/discovery/generated.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { namedARN } from '../../../domain/model/target-group.ts';
import type {
  Changes,
  TargetGroupSetDecision,
} from '../../../domain/discovery/target-group-set/target-group-set.ts';
import type {
  ExistingBinding,
  ExistingGroup,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import { readOwned, type Found, planHandover } from '../owned-objects.ts';
import type { Lifetime } from '../lifetime.ts';
import { inheritFor, ownedBy, type ObjectOwner } from '../../kubernetes/owner-references.ts';
import { removeAsFound } from '../../kubernetes/remove.ts';
import { performWrites, type Write } from '../../kubernetes/writes.ts';

/** The AWSTargetGroups and AWSTargetGroupBindings of a namespace, and the version of each that was read. */
export interface FoundObjects {
  readonly groups: readonly (ExistingGroup & Found)[];
  readonly bindings: readonly (ExistingBinding & Found)[];
}

/** Reads and writes the objects that AWSTargetGroupSets make. */
interface TargetGroupObjects {
  find(namespace: string): Promise<FoundObjects>;
  /** Carries a decision out; what cannot be written is a problem, and holds nothing else up. */
  perform(
    sync: { readonly owner: ObjectOwner; readonly life: Lifetime },
    decision: TargetGroupSetDecision,
    found: FoundObjects,
  ): Promise<readonly Problem[]>;
}

/** Makes what reads and writes the objects of AWSTargetGroupSets. */
export function createTargetGroupObjects(kubernetes: KubernetesClient): TargetGroupObjects {
  return {
    async find(namespace) {
      const [groups, bindings] = await Promise.all([
        kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
        kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, { namespace }),
      ]);
      return {
        groups: groups.map((group) => ({ ...readOwned(group.metadata), arn: namedARN(group) ?? '' })),
        bindings: bindings.map(existingBinding),
      };
    },
    async perform({ owner, life }, { groups, bindings, handover }, found) {
      const means = { kubernetes, owner, ownerKind: SET };
      const specOf = (spec: string): Parameters<typeof mergePatch>[0] => JSON.parse(spec);
      const writes = [
        ...planHandover(handover.bindings, {
          ...means,
          kind: AWS_TARGET_GROUP_BINDING,
          found: found.bindings,
        }),
        ...planHandover(handover.groups, { ...means, kind: AWS_TARGET_GROUP, found: found.groups }),
        ...writesOf(bindings, {
          ...means,
          kind: AWS_TARGET_GROUP_BINDING,
          found: found.bindings.map((one) => ({ ...one, content: specOf(one.spec) })),
          content: ({ spec }) => specOf(spec),
        }),
        ...writesOf(groups, {
          ...means,
          kind: AWS_TARGET_GROUP,
          found: found.groups.map((one) => ({ ...one, content: { arn: one.arn } })),
          content: ({ arn }) => ({ arn }),
        }),
      ];
      return await performWrites(writes, life);
    },
  };
}

const SET = 'AWSTargetGroupSet';

type Content = Parameters<typeof mergePatch>[0];

interface Dependencies<Wanted> {
  readonly kubernetes: KubernetesClient;
  readonly owner: ObjectOwner;
  readonly kind: KindRef;
  readonly found: readonly (Found & { readonly content: Content })[];
  readonly content: (wanted: Wanted) => Content;
}

function writesOf<Wanted extends Marks & { readonly name: string }>(
  changes: Changes<Wanted>,
  { kubernetes, owner, kind, found, content }: Dependencies<Wanted>,
): readonly Write[] {
  const before = new Map(found.map((one) => [one.name, one]));
  const keyOf = (name: string): ObjectKey => ({ namespace: owner.key.namespace, name });
  const about = (name: string) => ({ object: { kind: kind.kind, name } });
  const gone = new Set(changes.delete.map(({ uid }) => uid));
  return [
    ...found
      .filter(({ uid }) => gone.has(uid))
      .map((one) => ({
        ...about(one.name),
        run: () => removeAsFound(kubernetes, { kind, key: keyOf(one.name) }, one),
      })),
    ...changes.create.map((wanted) => ({
      ...about(wanted.name),
      run: () =>
        kubernetes.create({
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          metadata: {
            ...keyOf(wanted.name),
            labels: wanted.labels,
            annotations: wanted.annotations,
            ownerReferences: ownedBy(SET, owner),
          },
          spec: content(wanted),
        }),
    })),
    ...changes.update.flatMap((wanted) => {
      const old = before.get(wanted.name);
      if (old === undefined) return [];
      const { resourceVersion, isInherited, ownerReferences: owners } = old;
      const inherited = isInherited ? { ownerReferences: inheritFor(SET, owner, owners) } : {};
      const metadata = { ...patchMarks(old, wanted), resourceVersion, ...inherited };
      const spec = mergePatch(old.content, content(wanted));
      return [
        { ...about(wanted.name), run: () => kubernetes.patch(kind, keyOf(wanted.name), { metadata, spec }) },
      ];
    }),
  ];
}

function existingBinding({
  metadata,
  spec,
  status,
}: AWSTargetGroupBinding): FoundObjects['bindings'][number] {
  const parsed = awsTargetGroupBinding.parseSpec(spec);
  return {
    ...readOwned(metadata),
    // One that is not as the schema has it differs from all that is wanted, and is made good.
    spec: canonical(parsed.ok ? parsed.value : spec),
    arn: status?.targetGroupARN,
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}
