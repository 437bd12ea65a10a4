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
    'The secret of a cluster is named after the cluster now, and not <set>-<cluster>. Secrets of the old names are left alone; delete them once those of the new names are there.',
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
    'The quotation marks in spec.bindingTemplate.metadata.name are left out, since no name has them.',
  );
}

function groupNames(before: Converted): Converted {
  return warned(
    before,
    'AWSTargetGroups are named <namespace>-<name> of their TargetGroupBinding now. Those of other names are left alone; delete them once the new ones are there.',
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
    'The object names no rule, and the default rule of a listener is never changed any more. Add spec.listener.rule with a priority and a condition, such as hosts.',
  );
}

/** Brings a Check into the form of now. */
export const convertCheck: Conversion = (before) =>
  at(before.object, 'spec', 'analysis', 'interval') === undefined
    ? before
    : warned(
        before,
        'A Check asks Datadog unless spec.analysis says otherwise; no older generation has said whom it asks. An error of the provider is tried again, and is no verdict.',
      );
