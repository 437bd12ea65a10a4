import { omit, recordsIn, textIn, type Fields, isRecord } from '../model/fields.ts';
import { API_VERSION } from '../kubernetes/labels.ts';
import {
  convertCell,
  isCellOfNow,
  at,
  withValue,
  type Conversion,
  type Converted,
  inOrder,
  moved,
  warned,
} from './cell.ts';

/** Whether a ClusterSet has what only the form of now has. */
const isClusterSetOfNow = (object: Fields): boolean =>
  recordsIn(at(object, 'spec', 'generators')).some(
    (generator) => at(generator, 'awseks', 'selector') !== undefined,
  );

/** Brings a ClusterSet into the form of now. */
const convertClusterSet: Conversion = inOrder(clusterSelectors, secretNames);

function clusterSelectors(before: Converted): Converted {
  const generators = recordsIn(at(before.object, 'spec', 'generators')).map((generator) =>
    at(generator, 'awseks', 'clusterSelector') === undefined
      ? generator
      : moved(generator, ['awseks', 'clusterSelector'], ['awseks', 'selector']),
  );
  if (generators.length === 0) return before;
  return { ...before, object: withValue(before.object, ['spec', 'generators'], generators) };
}

function secretNames(before: Converted): Converted {
  return warned(
    before,
    'Cluster Secrets are now named after the cluster instead of <set>-<cluster>. Secrets with the old names are kept; delete them once those with the new names exist.',
  );
}

/** Brings an AWSTargetGroupSet into the form of now. */
const convertTargetGroupSet: Conversion = inOrder(quotedName, groupNames);

function quotedName(before: Converted): Converted {
  const path = ['spec', 'bindingTemplate', 'metadata', 'name'];
  const name = textIn(at(before.object, ...path));
  if (name?.includes('"') !== true) return before;
  return warned(
    { ...before, object: withValue(before.object, path, name.replaceAll('"', '')) },
    'The quotation marks in spec.bindingTemplate.metadata.name were removed: names cannot contain them.',
  );
}

function groupNames(before: Converted): Converted {
  return warned(
    before,
    'AWSTargetGroups are now named <namespace>-<name> of their TargetGroupBinding. Those with other names are kept; delete them once the new ones exist.',
  );
}

const RULE = ['spec', 'listener', 'rule'] as const;

/** Brings an AWSApplicationLoadBalancerConfig into the form of now. */
function convertLoadBalancerConfig(before: Converted): Converted {
  const named: Converted = {
    ...before,
    object: { ...before.object, kind: 'AWSApplicationLoadBalancerConfig' },
  };
  const groups = at(named.object, 'spec', 'forwardTargetGroups');
  const forwarding =
    groups === undefined
      ? named
      : {
          ...named,
          object: moved(named.object, ['spec', 'forwardTargetGroups'], [...RULE, 'forward', 'targetGroups']),
        };
  const rule = at(forwarding.object, ...RULE);
  if (isRecord(rule) && rule['priority'] !== undefined) return forwarding;
  return warned(
    forwarding,
    'The object names no rule, and Okra no longer changes the default rule of a listener. Add spec.listener.rule with a priority and a condition, such as hosts.',
  );
}

/** Brings a Check into the form of now. */
const convertCheck: Conversion = (before) =>
  at(before.object, 'spec', 'analysis', 'interval') === undefined
    ? before
    : warned(
        before,
        'A Check queries Datadog unless spec.analysis names another provider; older generations named none. Okra retries an error of the provider and does not count it as a verdict.',
      );

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
