import type { KubernetesAccess } from '../kubernetes.ts';
import type { Component } from '../process.ts';

/** What the components are made from: one stack's folder, tools, ports and credentials. */
export interface Plan {
  readonly dir: string;
  readonly components: readonly string[];
  readonly kubernetes: KubernetesAccess;
  readonly executable: (tool: string) => string;
  readonly port: () => Promise<number>;
  /** What the stack's own API server is started with besides. */
  readonly apiServerArgs?: readonly string[];
  /** Whether a kubelet runs the pods. */
  readonly hasNodes?: boolean;
}

/** A component together with the addresses at which it will be found. */
export interface Planned<Addresses> {
  readonly component: Component;
  readonly addresses: Addresses;
}

/**
 * For servers written in Go that live for minutes: their heaps are small, so that by default a quarter of an API server's
 * time goes into collecting garbage.
 */
export const rarelyCollected = { GOGC: '400' } as const;

/** Says where compiled programs are kept, which is not the user's choice but that of the command that starts the stack. */
export function compiledPrograms(): Readonly<Record<string, string>> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
