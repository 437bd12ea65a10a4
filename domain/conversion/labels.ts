import { VERSION_LABEL } from '../kubernetes/labels.ts';
import { isRecord, type Fields } from '../model/shape.ts';

/** The group of the older generations. */
export const OLD_GROUP = 'okra.mumoshu.github.io';

const OLD_VERSION_LABEL = `${OLD_GROUP}/version`;

/** The key of a label as it is now. */
export const versionLabel = (key: string): string => (key === OLD_VERSION_LABEL ? VERSION_LABEL : key);

/** Whether an object bears the old version label in a map of labels somewhere. */
export const bearsOldLabel = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(bearsOldLabel)
    : isRecord(value) &&
      (Object.hasOwn(value, OLD_VERSION_LABEL) || Object.values(value).some(bearsOldLabel));

/** Renames the version label wherever it is the key of a map. */
export function withNewLabels(object: Fields): Fields {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [versionLabel(key), renamed(value)]),
  );
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  return isRecord(value) ? withNewLabels(value) : value;
}
