import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import { VERSION_TAGS } from '../labels.ts';
import { labelledVersion, taggedVersion, type SelectingSpec } from '../version-label.ts';
import type { TargetGroupAnswer } from './target-group-answer.ts';

/** Whether tags may say a version: when a Cell that selects the group, or anybody when none does, finds no label that says one. */
export const wantsTags = ({ metadata }: AWSTargetGroup, selecting: readonly SelectingSpec[]): boolean =>
  (selecting.length === 0 ? [{}] : selecting).some(
    (spec) => labelledVersion(spec, metadata.labels) === undefined,
  );

/** An AWSTargetGroup with the version that its tags say by now; what could not be asked stays as it was known. */
export function withTags(group: AWSTargetGroup, answer: TargetGroupAnswer | undefined): AWSTargetGroup {
  const { metadata, status = {} } = group;
  const { version: _before, ...others } = status;
  const version = isToldOfTags(answer) ? versionIn(answer) : taggedVersion(group);
  const known = version === undefined ? {} : { version };
  return { ...group, status: { ...others, observedGeneration: metadata.generation, ...known } };
}

type Known = TargetGroupAnswer & { readonly is: 'Known' };

/** Whether an answer says which version the tags say, if any. */
const isToldOfTags = (answer: TargetGroupAnswer | undefined): answer is Known =>
  answer?.is === 'Known' && answer.tags?.is !== 'Unasked';

/** The version of the first tag that is not empty; none where nobody wanted to know. */
function versionIn({ tags }: Known): string | undefined {
  if (tags?.is !== 'Known') return undefined;
  return VERSION_TAGS.map((key) => (Object.hasOwn(tags.tags, key) ? tags.tags[key] : undefined)).find(
    (value) => value !== undefined && value.trim() !== '',
  );
}
