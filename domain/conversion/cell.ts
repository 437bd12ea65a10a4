import { isRecord, recordsIn, type Fields } from '../model/fields.ts';

/** An object in the form of now, and what means something else there than it did. */
export interface Converted {
  readonly object: Fields;
  readonly warnings: readonly string[];
}

/** Changes an object and adds to the warnings. */
export type Conversion = (before: Converted) => Converted;

/** Does one conversion after the other. */
export const inOrder =
  (...conversions: readonly Conversion[]): Conversion =>
  (before) =>
    conversions.reduce((converted, convert) => convert(converted), before);

/** Adds a warning. */
export const warned = (before: Converted, ...warnings: readonly string[]): Converted => ({
  ...before,
  warnings: [...before.warnings, ...warnings],
});

/** The value at a path; undefined when there is none. */
export const at = (object: Fields, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);

/** The object with another value at a path; undefined removes it. What is on the way is made. */
export function withValue(object: Fields, path: readonly string[], value: unknown): Fields {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const { [key]: before, ...others } = object;
  if (rest.length === 0) return value === undefined ? others : { ...object, [key]: value };
  return { ...object, [key]: withValue(isRecord(before) ? before : {}, rest, value) };
}

/** Moves a value from one path to another. */
export const moved = (object: Fields, from: readonly string[], to: readonly string[]): Fields =>
  withValue(withValue(object, from, undefined), to, at(object, ...from));

const APPLICATION = ['spec', 'ingress', 'awsApplicationLoadBalancer'] as const;
const NETWORK = ['spec', 'ingress', 'awsNetworkLoadBalancer'] as const;
const RULE = [...APPLICATION, 'listener', 'rule'] as const;
const STEPS = ['spec', 'updateStrategy', 'canary', 'steps'] as const;

/** The weight of a rule that named no priority, with the controller of the older generations. */
const DEFAULT_PRIORITY = 100;

const MOST_REPLICAS = 2;

/** Whether a Cell has what only the form of now has. */
export const isCellOfNow = (object: Fields): boolean =>
  at(object, ...RULE) !== undefined ||
  recordsIn(at(object, ...STEPS)).some(({ setWeight }) => setWeight !== undefined);

/** Brings a Cell into the form of now. */
export const convertCell: Conversion = inOrder(
  replicasOfIngress,
  networkBlock,
  listenerRule,
  summedSteps,
  pausesWithoutDuration,
  tooManyReplicas,
  misspelledLabels,
);

function replicasOfIngress(before: Converted): Converted {
  const replicas = at(before.object, 'spec', 'ingress', 'replicas');
  if (replicas === undefined) return before;
  const own = at(before.object, 'spec', 'replicas');
  const object =
    own === undefined
      ? moved(before.object, ['spec', 'ingress', 'replicas'], ['spec', 'replicas'])
      : withValue(before.object, ['spec', 'ingress', 'replicas'], undefined);
  return warned(
    { ...before, object },
    `spec.ingress.replicas moved to spec.replicas${own === undefined ? '' : ', which was already set and is used'}; the old field was ignored.`,
  );
}

/** The block of a Network Load Balancer bore the name of the other kind. */
function networkBlock(before: Converted): Converted {
  const { object } = before;
  const isNetwork = at(object, 'spec', 'ingress', 'type') === 'AWSNetworkLoadBalancer';
  if (!isNetwork || at(object, ...APPLICATION) === undefined || at(object, ...NETWORK) !== undefined)
    return before;
  return { ...before, object: moved(object, APPLICATION, NETWORK) };
}

function listenerRule(before: Converted): Converted {
  const { object } = before;
  if (!isRecord(at(object, ...APPLICATION))) return before;
  const rule = at(object, ...RULE);
  if (!isRecord(rule))
    return warned(
      before,
      'The Cell has no listener.rule, and Okra no longer changes the default rule of a listener. Add spec.ingress.awsApplicationLoadBalancer.listener.rule with a priority and a condition, such as hosts.',
    );
  const { priority } = rule;
  const prioritised =
    priority === undefined || priority === 0
      ? warned(
          { ...before, object: withValue(object, [...RULE, 'priority'], DEFAULT_PRIORITY) },
          `A rule without a priority had the priority ${DEFAULT_PRIORITY}, which is now written out.`,
        )
      : before;
  return withoutTargetGroups(prioritised, RULE);
}

function withoutTargetGroups(before: Converted, rule: readonly string[]): Converted {
  const path = [...rule, 'forward', 'targetGroups'];
  if (at(before.object, ...path) === undefined) return before;
  return warned(
    { ...before, object: withValue(before.object, path, undefined) },
    'listener.rule.forward.targetGroups of a Cell was removed: only the rollout decides where the rule forwards to. Create AWSTargetGroups for them.',
  );
}

/** The weights of `setWeight` were added up, as those of `stepWeight` are. */
function summedSteps(before: Converted): Converted {
  const steps = recordsIn(at(before.object, ...STEPS));
  const weights = steps.flatMap(({ setWeight }) =>
    setWeight === undefined ? [] : [JSON.stringify(setWeight)],
  );
  if (weights.length === 0) return before;
  const next = steps.map(({ setWeight, ...step }) =>
    setWeight === undefined ? step : { ...step, stepWeight: setWeight },
  );
  return warned(
    { ...before, object: withValue(before.object, STEPS, next) },
    `setWeight ${weights.join(', ')} used to be added up and is now the total weight of the canary, so each was rewritten as stepWeight. If you meant totals of ${weights.join(', ')}, write setWeight.`,
  );
}

function pausesWithoutDuration(before: Converted): Converted {
  const steps = recordsIn(at(before.object, ...STEPS));
  const endless = steps.flatMap(({ pause }, index) =>
    isRecord(pause) && pause['duration'] === undefined ? [index + 1] : [],
  );
  if (endless.length === 0) return before;
  return warned(
    before,
    `A pause without a duration (step ${endless.join(', ')}) used to end at once and now lasts until you resume it. Set a duration, or remove the pause.`,
  );
}

function tooManyReplicas(before: Converted): Converted {
  const replicas = at(before.object, 'spec', 'replicas');
  if (typeof replicas !== 'number' || replicas <= MOST_REPLICAS) return before;
  return warned(
    before,
    `spec.replicas is ${replicas}, but at most ${MOST_REPLICAS} is allowed now, because the old and the new version must fit into one rule. Put several clusters of a version into one target group with an AWSTargetGroupBinding.`,
  );
}

/** A slip of the pen that stood in the documentation. */
function misspelledLabels(before: Converted): Converted {
  const applications = at(before.object, 'spec', 'applications');
  if (!Array.isArray(applications)) return before;
  const next = applications.map((application: unknown) => {
    if (!isRecord(application)) return application;
    const wrong = at(application, 'argocd', 'clusterSecret', 'lables');
    return wrong === undefined
      ? application
      : moved(application, ['argocd', 'clusterSecret', 'lables'], ['argocd', 'clusterSecret', 'labels']);
  });
  return { ...before, object: withValue(before.object, ['spec', 'applications'], next) };
}
