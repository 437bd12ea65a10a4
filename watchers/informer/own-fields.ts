import { omit } from '../../domain/model/fields.ts';
import { CELL_LABEL, LAST_APPLIED_ANNOTATION } from '../../domain/kubernetes/labels.ts';

/** Some fields of an object, as JSON has it. */
export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsIn = (from: Fields, key: string): Fields => {
  const value = from[key];
  return isFields(value) ? value : {};
};

const pick = (from: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));

/** The lists of an object, with some fields of each of their items; what is no list stays as it is. */
const lists = (from: Fields, fields: Readonly<Record<string, readonly string[]>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, keys]) => {
      const items: unknown = from[key];
      if (!Array.isArray(items)) return items === undefined ? [] : [[key, items]];
      return [[key, items.map((item: unknown) => (isFields(item) ? pick(item, keys) : item))]];
    }),
  );

function metadataOf(object: Fields): Fields {
  const metadata = omit(fieldsIn(object, 'metadata'), 'managedFields', 'creationTimestamp');
  const { [LAST_APPLIED_ANNOTATION]: applied, ...annotations } = fieldsIn(metadata, 'annotations');
  return applied === undefined ? metadata : { ...metadata, annotations };
}

const statusOf = (object: Fields, status: (of: Fields) => Fields): Fields =>
  isFields(object['status']) ? { status: status(object['status']) } : {};

/** What of a Cell's status a message, or a metric, depends on. */
const CELL_STATUS = [
  'phase',
  'reason',
  'observedHash',
  'lastSyncTime',
  'rollout',
  'currentStepIndex',
  'canaryWeight',
];

function cellOf(cell: Fields): Fields {
  const metadata = metadataOf(cell);
  const isOfApplications =
    fieldsIn(cell, 'spec')['applications'] !== undefined ||
    fieldsIn(metadata, 'labels')[CELL_LABEL] !== undefined;
  if (isOfApplications) return { ...cell, metadata };
  const status = statusOf(cell, (of) => ({
    ...pick(of, CELL_STATUS),
    ...lists(of, {
      conditions: ['type', 'status', 'reason'],
      blockedVersions: ['version'],
      targetGroups: ['weight'],
      history: ['version', 'startedAt', 'endedAt', 'outcome'],
    }),
  }));
  return { metadata, spec: cell['spec'], ...status };
}

const groupOf = (group: Fields): Fields => ({
  metadata: metadataOf(group),
  spec: group['spec'],
  ...statusOf(group, (of) => pick(of, ['version', 'observedGeneration'])),
});

const configOf = (config: Fields): Fields => ({
  metadata: metadataOf(config),
  spec: pick(fieldsIn(config, 'spec'), ['listenerARN']),
  ...statusOf(config, (of) => pick(of, ['observedGeneration'])),
});

/** What is kept of Okra's own objects of which there may be thousands: what decides about messages, and not what people read. */
export const ownFields: Readonly<Record<string, (object: Fields) => Fields>> = {
  Cell: cellOf,
  AWSTargetGroup: groupOf,
  AWSApplicationLoadBalancerConfig: configOf,
  AWSNetworkLoadBalancerConfig: configOf,
};
