import { isRecord, omit, recordsIn, textIn, type Fields } from '../model/fields.ts';
import { API_VERSION } from '../kubernetes/labels.ts';

export const OLD_GROUP = 'okra.mumoshu.github.io';

export type Outcome =
  /** It has the form of now, with what means something else there than it did. */
  | { readonly is: 'Converted'; readonly object: Fields; readonly warnings: readonly string[] }
  /** It is of the form of now, or of someone else's. */
  | { readonly is: 'Kept' }
  /** There is nothing like it any more. */
  | { readonly is: 'Dropped'; readonly why: string };

interface Draft {
  object: Fields;
  readonly warnings: string[];
}

/** The value at a path such as `spec.replicas`; undefined when there is none. */
const at = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);

/** The object with another value at a path; undefined removes it. What is on the way is made. */
function withValue(object: Fields, [key, ...rest]: readonly string[], value: unknown): Fields {
  if (key === undefined) return object;
  const { [key]: before, ...others } = object;
  if (rest.length === 0) return value === undefined ? others : { ...object, [key]: value };
  return { ...object, [key]: withValue(isRecord(before) ? before : {}, rest, value) };
}

function put(draft: { object: Fields }, path: string, value: unknown): void {
  draft.object = withValue(draft.object, path.split('.'), value);
}

function move(draft: { object: Fields }, from: string, to: string): void {
  const value = at(draft.object, from);
  if (value === undefined) return;
  put(draft, from, undefined);
  put(draft, to, value);
}

/** Moves the value of a path in each object of a list. */
function moveInEach(draft: Draft, list: string, from: string, to: string): void {
  const objects = recordsIn(at(draft.object, list)).map((object) => {
    const part = { object };
    move(part, from, to);
    return part.object;
  });
  if (objects.length > 0) put(draft, list, objects);
}

const CELL_RULE = 'spec.ingress.awsApplicationLoadBalancer.listener.rule';
const STEPS = 'spec.updateStrategy.canary.steps';

/** The priority of a rule that named none, with the controller of the older generations. */
const DEFAULT_PRIORITY = 100;
const MOST_REPLICAS = 2;

const conversions: Readonly<Record<string, (draft: Draft) => void>> = {
  Cell(draft) {
    moveReplicas(draft);
    moveNetworkBlock(draft);
    convertRule(draft);
    convertSteps(draft);
    const replicas = at(draft.object, 'spec.replicas');
    if (typeof replicas === 'number' && replicas > MOST_REPLICAS)
      draft.warnings.push(
        `spec.replicas is ${replicas}, but at most ${MOST_REPLICAS} is allowed now, because the old and the new version must fit into one rule. Put several clusters of a version into one target group with an AWSTargetGroupBinding.`,
      );
    // A slip of the pen that stood in the documentation.
    const secret = 'argocd.clusterSecret';
    moveInEach(draft, 'spec.applications', `${secret}.lables`, `${secret}.labels`);
  },
  ClusterSet(draft) {
    moveInEach(draft, 'spec.generators', 'awseks.clusterSelector', 'awseks.selector');
    draft.warnings.push(
      'Cluster Secrets are now named after the cluster instead of <set>-<cluster>. Secrets with the old names are kept; delete them once those with the new names exist.',
    );
  },
  AWSTargetGroupSet(draft) {
    const path = 'spec.bindingTemplate.metadata.name';
    const name = textIn(at(draft.object, path));
    if (name?.includes('"') === true) {
      put(draft, path, name.replaceAll('"', ''));
      draft.warnings.push(
        'The quotation marks in spec.bindingTemplate.metadata.name were removed: names cannot contain them.',
      );
    }
    draft.warnings.push(
      'AWSTargetGroups are now named <namespace>-<name> of their TargetGroupBinding. Those with other names are kept; delete them once the new ones exist.',
    );
  },
  AWSTargetGroup() {},
  AWSTargetGroupBinding() {},
  AWSApplicationLoadBalancerConfig: convertLoadBalancerConfig,
  AWSApplicationLoadBalancer: convertLoadBalancerConfig,
  Check(draft) {
    if (at(draft.object, 'spec.analysis.interval') !== undefined)
      draft.warnings.push(
        'A Check queries Datadog unless spec.analysis names another provider; older generations named none. Okra retries an error of the provider and does not count it as a verdict.',
      );
  },
};

/** What tells an example of now that leaves out apiVersion from one of an older generation. */
const areOfNow: Readonly<Record<string, (object: Fields) => boolean>> = {
  Cell: (object) =>
    at(object, CELL_RULE) !== undefined ||
    recordsIn(at(object, STEPS)).some(({ setWeight }) => setWeight !== undefined),
  ClusterSet: (object) =>
    recordsIn(at(object, 'spec.generators')).some((one) => at(one, 'awseks.selector') !== undefined),
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

const ownOf = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Brings an object of an older generation into the form of now, with a warning for each change of meaning. */
export function convert(object: Fields): Outcome {
  const apiVersion = textIn(object['apiVersion']) ?? '';
  const kind = textIn(object['kind']) ?? '';
  const conversion = ownOf(conversions, kind);
  const why = ownOf(gone, kind);
  const isOld = apiVersion.startsWith(`${OLD_GROUP}/`);
  const isOfGoController = apiVersion === API_VERSION && (kind === 'Pause' || kind === 'VersionBlocklist');
  // Examples leave it out.
  const isNameless = apiVersion === '' && (conversion ?? why) !== undefined;
  if (!isOld && !isNameless && !isOfGoController) return { is: 'Kept' };
  if (isNameless && ownOf(areOfNow, kind)?.(object) === true)
    return {
      is: 'Converted',
      object: { apiVersion: API_VERSION, ...omit(object, 'apiVersion') },
      warnings: [],
    };
  const unknown = `Okra has no kind ${kind === '' ? 'without a name' : kind}. Remove the object.`;
  if (why !== undefined || conversion === undefined) return { is: 'Dropped', why: why ?? unknown };
  const draft: Draft = { object: { ...omit(object, 'status'), apiVersion: API_VERSION }, warnings: [] };
  if (recordsIn(at(draft.object, 'metadata.ownerReferences')).length > 0) {
    put(draft, 'metadata.ownerReferences', undefined);
    draft.warnings.push(
      'metadata.ownerReferences was removed: it refers to an object of the older generation. Okra sets its own.',
    );
  }
  conversion(draft);
  return { is: 'Converted', ...draft };
}

function moveReplicas(draft: Draft): void {
  if (at(draft.object, 'spec.ingress.replicas') === undefined) return;
  const isSet = at(draft.object, 'spec.replicas') !== undefined;
  if (isSet) put(draft, 'spec.ingress.replicas', undefined);
  else move(draft, 'spec.ingress.replicas', 'spec.replicas');
  draft.warnings.push(
    `spec.ingress.replicas moved to spec.replicas${isSet ? ', which was already set and is used' : ''}; the old field was ignored.`,
  );
}

/** The block of a Network Load Balancer bore the name of the other kind. */
function moveNetworkBlock(draft: Draft): void {
  const isNetwork = at(draft.object, 'spec.ingress.type') === 'AWSNetworkLoadBalancer';
  if (isNetwork && at(draft.object, 'spec.ingress.awsNetworkLoadBalancer') === undefined)
    move(draft, 'spec.ingress.awsApplicationLoadBalancer', 'spec.ingress.awsNetworkLoadBalancer');
}

function convertRule(draft: Draft): void {
  if (!isRecord(at(draft.object, 'spec.ingress.awsApplicationLoadBalancer'))) return;
  const rule = at(draft.object, CELL_RULE);
  if (!isRecord(rule)) {
    draft.warnings.push(
      'The Cell has no listener.rule, and Okra no longer changes the default rule of a listener. Add spec.ingress.awsApplicationLoadBalancer.listener.rule with a priority and a condition, such as hosts.',
    );
    return;
  }
  const { priority } = rule;
  if (priority === undefined || priority === 0) {
    put(draft, `${CELL_RULE}.priority`, DEFAULT_PRIORITY);
    draft.warnings.push(
      `A rule without a priority had the priority ${DEFAULT_PRIORITY}, which is now written out.`,
    );
  }
  const groups = `${CELL_RULE}.forward.targetGroups`;
  if (at(draft.object, groups) === undefined) return;
  put(draft, groups, undefined);
  draft.warnings.push(
    'listener.rule.forward.targetGroups of a Cell was removed: only the rollout decides where the rule forwards to. Create AWSTargetGroups for them.',
  );
}

/** The weights of `setWeight` were added up, as those of `stepWeight` are, and a pause without a duration ended at once. */
function convertSteps(draft: Draft): void {
  const steps = recordsIn(at(draft.object, STEPS));
  const set = steps.flatMap(({ setWeight }) => (setWeight === undefined ? [] : [JSON.stringify(setWeight)]));
  const weights = set.join(', ');
  if (set.length > 0) {
    moveInEach(draft, STEPS, 'setWeight', 'stepWeight');
    draft.warnings.push(
      `setWeight ${weights} used to be added up and is now the total weight of the canary, so each was rewritten as stepWeight. If you meant totals of ${weights}, write setWeight.`,
    );
  }
  const endless = steps.flatMap(({ pause }, index) =>
    isRecord(pause) && pause['duration'] === undefined ? [index + 1] : [],
  );
  if (endless.length > 0)
    draft.warnings.push(
      `A pause without a duration (step ${endless.join(', ')}) used to end at once and now lasts until you resume it. Set a duration, or remove the pause.`,
    );
}

function convertLoadBalancerConfig(draft: Draft): void {
  put(draft, 'kind', 'AWSApplicationLoadBalancerConfig');
  move(draft, 'spec.forwardTargetGroups', 'spec.listener.rule.forward.targetGroups');
  if (at(draft.object, 'spec.listener.rule.priority') === undefined)
    draft.warnings.push(
      'The object names no rule, and Okra no longer changes the default rule of a listener. Add spec.listener.rule with a priority and a condition, such as hosts.',
    );
}
