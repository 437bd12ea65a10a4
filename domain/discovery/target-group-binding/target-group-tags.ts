import type { AWSTargetGroup } from '../../../crds/aws-target-group.ts';
import { VERSION_TAGS } from '../../kubernetes/labels.ts';
import { taggedVersion } from '../../versions/version-label.ts';
import type { TagsAnswer, TargetGroupAnswer } from '../target-group/target-group-answer.ts';

/** An AWSTargetGroup with the version that its tags say by now; what could not be asked stays as it was known. */
export function withTags(group: AWSTargetGroup, answer: TargetGroupAnswer | undefined): AWSTargetGroup {
  const { metadata, status = {} } = group;
  const { version: _before, ...others } = status;
  const version = isToldOfTags(answer) ? versionIn(answer) : taggedVersion(group);
  const known = version === undefined ? {} : { version };
  return { ...group, status: { ...others, observedGeneration: metadata.generation, ...known } };
}

/** Whether an answer says what the tags are. */
const isToldOfTags = (answer: TargetGroupAnswer | undefined): answer is Told =>
  answer?.is === 'Known' && answer.tags.is === 'Known';

type Told = TargetGroupAnswer & { readonly tags: TagsAnswer & { readonly is: 'Known' } };

/** The version of the first tag that is not empty. */
const versionIn = ({ tags: { tags } }: Told): string | undefined =>
  VERSION_TAGS.map((key) => (Object.hasOwn(tags, key) ? tags[key] : undefined)).find(
    (value) => value !== undefined && value.trim() !== '',
  );
