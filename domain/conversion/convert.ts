import { omit, recordsIn, textIn, type Fields } from '../model/fields.ts';
import { API_VERSION } from '../kubernetes/labels.ts';
import { convertCell, isCellOfNow } from './cell.ts';
import { at, withValue, type Conversion, type Converted } from './converted.ts';
import {
  convertCheck,
  convertClusterSet,
  convertLoadBalancerConfig,
  convertTargetGroupSet,
  isClusterSetOfNow,
} from './others.ts';

/** The group of the older generations. */
export const OLD_GROUP = 'okra.mumoshu.github.io';

/** What becomes of an object of a file. */
export type Outcome =
  | ({ readonly is: 'Converted' } & Converted)
  /** It is of the form of now, or of someone else's. */
  | { readonly is: 'Kept' }
  /** There is nothing like it any more. */
  | { readonly is: 'Dropped'; readonly why: string };

const unchanged: Conversion = (before) => before;

const conversions: Readonly<Record<string, Conversion>> = {
  Cell: convertCell,
  ClusterSet: convertClusterSet,
  AWSTargetGroupSet: convertTargetGroupSet,
  AWSTargetGroup: unchanged,
  AWSTargetGroupBinding: unchanged,
  AWSApplicationLoadBalancerConfig: convertLoadBalancerConfig,
  AWSApplicationLoadBalancer: convertLoadBalancerConfig,
  Check: convertCheck,
};

/** What tells an example of now that leaves out apiVersion from one of an older generation. */
const areOfNow: Readonly<Record<string, (object: Fields) => boolean>> = {
  Cell: isCellOfNow,
  ClusterSet: isClusterSetOfNow,
};

const gone: Readonly<Record<string, string>> = {
  Pause: 'The kind Pause was removed. Use okractl pause and okractl resume.',
  VersionBlocklist:
    'The kind VersionBlocklist was removed: failed versions are listed in status.blockedVersions of the Cell. To prevent a rollout, pin the version in spec.version of the Cell.',
  AWSApplicationLoadBalancerTargetDeployment:
    'AWSApplicationLoadBalancerTargetDeployment was replaced by Cell; Okra itself now maintains objects of this kind as a view. Write a Cell.',
  AWSNetworkLoadBalancerTargetDeployment:
    'It was replaced by a Cell with an ingress of type AWSNetworkLoadBalancer. Write a Cell.',
  ArgoCDCluster: 'It was replaced by ClusterSet, which finds the clusters by their tags. Write a ClusterSet.',
};

/** Brings an object of an older generation into the form of now, with a warning for each change of meaning. */
export function convert(object: Fields): Outcome {
  const apiVersion = textIn(object['apiVersion']) ?? '';
  const kind = textIn(object['kind']) ?? '';
  const isOld = apiVersion.startsWith(`${OLD_GROUP}/`);
  const isOfGoController = apiVersion === API_VERSION && (kind === 'Pause' || kind === 'VersionBlocklist');
  // Examples leave it out.
  const isNameless = apiVersion === '' && (Object.hasOwn(conversions, kind) || Object.hasOwn(gone, kind));
  if (!isOld && !isNameless && !isOfGoController) return { is: 'Kept' };
  if (isNameless && Object.hasOwn(areOfNow, kind) && areOfNow[kind]?.(object) === true)
    return {
      is: 'Converted',
      object: { apiVersion: API_VERSION, ...withValue(object, ['apiVersion'], undefined) },
      warnings: [],
    };
  const why = Object.hasOwn(gone, kind) ? gone[kind] : undefined;
  if (why !== undefined) return { is: 'Dropped', why };
  const conversion = Object.hasOwn(conversions, kind) ? conversions[kind] : undefined;
  if (conversion === undefined)
    return {
      is: 'Dropped',
      why: `Okra has no kind ${kind === '' ? 'without a name' : kind}. Remove the object.`,
    };
  return { is: 'Converted', ...conversion(common(object)) };
}

/** What changes of every object: its group, and what an older controller has written. */
function common(object: Fields): Converted {
  const renamed = { ...omit(object, 'status'), apiVersion: API_VERSION };
  const owners = recordsIn(at(renamed, 'metadata', 'ownerReferences'));
  if (owners.length === 0) return { object: renamed, warnings: [] };
  return {
    object: withValue(renamed, ['metadata', 'ownerReferences'], undefined),
    warnings: [
      'metadata.ownerReferences was removed: it refers to an object of the older generation. Okra sets its own.',
    ],
  };
}
