import { isRecord, recordsIn, textIn, type Fields } from '../model/fields.ts';
import { at, inOrder, moved, warned, withValue, type Conversion, type Converted } from './converted.ts';

/** Whether a ClusterSet has what only the form of now has. */
export const isClusterSetOfNow = (object: Fields): boolean =>
  recordsIn(at(object, 'spec', 'generators')).some(
    (generator) => at(generator, 'awseks', 'selector') !== undefined,
  );

/** Brings a ClusterSet into the form of now. */
export const convertClusterSet: Conversion = inOrder(clusterSelectors, secretNames);

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
export const convertTargetGroupSet: Conversion = inOrder(quotedName, groupNames);

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
export function convertLoadBalancerConfig(before: Converted): Converted {
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
export const convertCheck: Conversion = (before) =>
  at(before.object, 'spec', 'analysis', 'interval') === undefined
    ? before
    : warned(
        before,
        'A Check queries Datadog unless spec.analysis names another provider; older generations named none. Okra retries an error of the provider and does not count it as a verdict.',
      );
