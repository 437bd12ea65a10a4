import { kindOf } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { WriteOptions } from './options.ts';

/** A client that does not create, or not delete, and what it has left out. */
export interface LeavingOut {
  readonly kubernetes: KubernetesClient;
  readonly left: readonly string[];
}

/** Makes a client that leaves out what the options say; the status then tells that it was left out. */
export function leaveOut(kubernetes: KubernetesClient, options: WriteOptions): LeavingOut {
  const left: string[] = [];
  const refuse = (what: string, option: string): never => {
    left.push(`${what}, because of --${option}=false`);
    throw new Error(`Left out, because of --${option}=false.`);
  };
  return {
    left,
    kubernetes: {
      ...kubernetes,
      create: async (object, call) =>
        options.create || object.kind === 'Event'
          ? kubernetes.create(object, call)
          : refuse(`Not created: ${kindOf(object).kind} ${object.metadata.name}`, 'create'),
      delete: async (kind, key, call) =>
        options.delete
          ? kubernetes.delete(kind, key, call)
          : refuse(`Not deleted: ${kind.kind} ${key.name}`, 'delete'),
    },
  };
}
