import { isRecord, recordsIn, textIn, type Fields } from '../model/shape.ts';
import { at, inOrder, moved, warned, withValue, type Conversion, type Converted } from './converted.ts';
import { versionLabel } from './labels.ts';

const APPLICATION = ['spec', 'ingress', 'awsApplicationLoadBalancer'] as const;
const NETWORK = ['spec', 'ingress', 'awsNetworkLoadBalancer'] as const;
const RULE = [...APPLICATION, 'listener', 'rule'] as const;
const STEPS = ['spec', 'updateStrategy', 'canary', 'steps'] as const;

/** The weight of a rule that named no priority, with the controller of the older generations. */
const DEFAULT_PRIORITY = 100;

const MOST_REPLICAS = 2;

/** Brings a Cell into the form of now. */
export const convertCell: Conversion = inOrder(
  replicasOfIngress,
  networkBlock,
  listenerRule,
  versionLabels,
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
    `spec.ingress.replicas is spec.replicas now${own === undefined ? '' : ', which was there already and counts'}. It was not heeded where it stood.`,
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
      'The Cell has no listener.rule, and the default rule of a listener is never changed any more. Add spec.ingress.awsApplicationLoadBalancer.listener.rule with a priority and a condition, such as hosts.',
    );
  const { priority } = rule;
  const prioritised =
    priority === undefined || priority === 0
      ? warned(
          { ...before, object: withValue(object, [...RULE, 'priority'], DEFAULT_PRIORITY) },
          `A rule without a priority had ${DEFAULT_PRIORITY}, which is written out now.`,
        )
      : before;
  return withoutTargetGroups(prioritised, RULE);
}

function withoutTargetGroups(before: Converted, rule: readonly string[]): Converted {
  const path = [...rule, 'forward', 'targetGroups'];
  if (at(before.object, ...path) === undefined) return before;
  return warned(
    { ...before, object: withValue(before.object, path, undefined) },
    'listener.rule.forward.targetGroups of a Cell was kept beside the discovered target groups; it is left out, since the rollout alone says where the rule forwards to. Make AWSTargetGroups of them.',
  );
}

function versionLabels(before: Converted): Converted {
  const path = ['spec', 'versionedBy', 'label'];
  const label = textIn(at(before.object, ...path));
  if (label === undefined) return before;
  const next = versionLabel(label);
  return next === label
    ? before
    : warned(
        { ...before, object: withValue(before.object, path, next) },
        `The version is read from the label ${next} now, and not from ${label}. Relabel the target groups, and the TargetGroupBindings in the clusters.`,
      );
}

/** The weights of steps were added up, also those of `setWeight`; each is the canary's whole weight now. */
function summedSteps(before: Converted): Converted {
  const steps = recordsIn(at(before.object, ...STEPS));
  const weights = steps.flatMap((step) => weightIn(step) ?? []);
  if (weights.length === 0) return before;
  let sum = 0;
  const next = steps.map((step): Fields => {
    const weight = weightIn(step);
    if (weight === undefined) return step;
    sum = Math.min(100, sum + weight);
    return { setWeight: sum };
  });
  const sums = next.flatMap((step) => weightIn(step) ?? []);
  const object = withValue(before.object, STEPS, next);
  const isSame = sums.join() === weights.join() && steps.every((step) => step['stepWeight'] === undefined);
  if (isSame) return before;
  return warned(
    { ...before, object },
    `The weights of the steps, ${weights.join(', ')}, were added up; a setWeight is the canary's whole weight now, so that they are written as ${sums.join(', ')}. If ${weights.join(', ')} was meant, write these.`,
  );
}

function weightIn(step: Fields): number | undefined {
  const weight = step['setWeight'] ?? step['stepWeight'];
  return typeof weight === 'number' ? weight : undefined;
}

function pausesWithoutDuration(before: Converted): Converted {
  const steps = recordsIn(at(before.object, ...STEPS));
  const endless = steps.flatMap(({ pause }, index) =>
    pause === null || (isRecord(pause) && pause['duration'] === undefined) ? [index] : [],
  );
  if (endless.length === 0) return before;
  const next = steps.map((step, index) => (endless.includes(index) ? { pause: {} } : step));
  return warned(
    { ...before, object: withValue(before.object, STEPS, next) },
    `A pause without a duration (steps ${endless.join(', ')}) was over at once; it lasts until someone resumes it now. Give it a duration, or remove it.`,
  );
}

function tooManyReplicas(before: Converted): Converted {
  const replicas = at(before.object, 'spec', 'replicas');
  if (typeof replicas !== 'number' || replicas <= MOST_REPLICAS) return before;
  return warned(
    before,
    `spec.replicas is ${replicas}; at most ${MOST_REPLICAS} are taken now, because the old and the new version have to fit into one rule. Put several clusters of a version into one target group, by an AWSTargetGroupBinding.`,
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
