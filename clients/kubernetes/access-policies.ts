import type { AccessPolicy } from '../../crds/access-policy.ts';
import { accessOf, type Access } from '../../domain/access/access.ts';
import { keepMade } from '../concurrency.ts';
import { ACCESS_POLICY } from './kinds.ts';
import { unlessMissing, type KubernetesClient } from './kubernetes.ts';

/** What namespaces may use, as the AccessPolicies say it. */
export type AccessPolicies = ReturnType<typeof accessPolicies>;

const LATELY_MILLISECONDS = 5_000;

/** Reads AccessPolicies; while the kind is not installed there are none, and while they cannot be read nobody gets anything. */
export function accessPolicies(kubernetes: Pick<KubernetesClient, 'list'>, now: () => number = Date.now) {
  const read = async (signal?: AbortSignal): Promise<readonly AccessPolicy[]> =>
    (await unlessMissing(kubernetes.list<AccessPolicy>(ACCESS_POLICY, { signal }))) ?? [];
  const recent = keepMade(async () => {
    const until = now() + LATELY_MILLISECONDS;
    return { value: await read(), until };
  }, now);
  return {
    /** Reads what a namespace may use; undefined: everything. */
    of: async (namespace: string, signal?: AbortSignal): Promise<Access | undefined> =>
      accessOf(namespace, await read(signal)),
    /** The same as it was some seconds ago at most, for what is asked with every request. */
    lately: async (namespace: string): Promise<Access | undefined> => accessOf(namespace, await recent()),
  };
}
