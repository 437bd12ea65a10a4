import { isRecord } from '../../domain/model/shape.ts';

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value);
const isTexts = (value: unknown): boolean =>
  value === undefined || value === null || (isRecord(value) && Object.values(value).every(isText));

/** Whether something is an object of the Kubernetes API as far as every reader counts on: what its metadata says is of the right types. */
export function isObject(value: unknown): value is Record<string, unknown> {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(metadata)) return false;
  const { name, namespace, uid, resourceVersion, labels, annotations } = metadata;
  return (
    isText(name) &&
    [namespace, uid, resourceVersion].every(isTextOrNone) &&
    [labels, annotations].every(isTexts)
  );
}
