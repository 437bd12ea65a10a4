import { kindOf, type KindRef } from '../../clients/kubernetes/kinds.ts';
import type { Identified, Key, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ELBv2, ELBv2Writes } from '../../clients/aws/elbv2.ts';
import { unlimited, type RateLimiters } from '../../clients/rate-limiter.ts';
import { asYaml } from '../okractl/output.ts';
import { inOneLine } from '../terminal-text.ts';
import type { OkraSession, OkraShell } from './shell.ts';

/** Makes a session that reads everything and writes nothing; what would be written is printed as YAML. */
export function dryRunOf(session: OkraSession, { print }: Pick<OkraShell, 'print'>): OkraSession {
  const unsent: string[] = [];
  // Nothing can be read back of what was not written, so this is where it ends.
  const refuse =
    (call: string) =>
    async (...what: readonly unknown[]): Promise<never> => {
      unsent.push(call);
      print(`---\n# would call ${call} of ELBv2\n${asYaml(what.length === 1 ? what[0] : what)}`);
      throw new Error(`${call} not called: --dry-run.`);
    };
  const writes: ELBv2Writes = {
    ready: () => Promise.resolve(),
    createRule: refuse('CreateRule'),
    modifyRule: refuse('ModifyRule'),
    setPriority: refuse('SetRulePriorities'),
    deleteRule: refuse('DeleteRule'),
    setDefaultAction: refuse('ModifyListener'),
    tag: refuse('AddTags'),
    setAttributes: refuse('ModifyTargetGroupAttributes'),
    createTargetGroup: refuse('CreateTargetGroup'),
    modifyTargetGroup: refuse('ModifyTargetGroup'),
    deleteTargetGroup: refuse('DeleteTargetGroup'),
    registerTargets: refuse('RegisterTargets'),
    deregisterTargets: refuse('DeregisterTargets'),
  };
  const dry = (elbv2: ELBv2): ELBv2 => ({ ...elbv2, ...writes });
  return {
    ...session,
    kubernetes: readingOnly(session.kubernetes, print),
    clusters: {
      ...session.clusters,
      reach: (secret) => {
        const reach = session.clusters.reach(secret);
        return reach.is === 'Problem' ? reach : { ...reach, client: readingOnly(reach.client, print) };
      },
    },
    elbv2: Object.assign((arn: string) => dry(session.elbv2(arn)), {
      inRegion: (region: string) => dry(session.elbv2.inRegion(region)),
    }),
    limits: noLimits,
    unsent,
  };
}

export const noLimits: RateLimiters = { writes: unlimited, registrations: unlimited, queries: unlimited };

const idOf = ({ kind }: KindRef, { namespace, name }: Key): string =>
  inOneLine(`${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`);

/** A client that prints what it would write, and answers as if it had. */
function readingOnly(kubernetes: KubernetesClient, print: OkraShell['print']): KubernetesClient {
  const made = new Map<string, unknown>();
  const make = <T extends Identified>(verb: string, object: T, known: T = withIdentity(object)): T => {
    // Events tell of what has happened, and nothing has.
    if (object.kind === 'Event') return object;
    const id = idOf(kindOf(object), object.metadata);
    print(`---\n# would ${verb} ${id}\n${asYaml(object)}`);
    made.set(id, known);
    return known;
  };
  return {
    ...kubernetes,
    get: async <T>(kind: KindRef, key: Key, options?: Parameters<KubernetesClient['get']>[2]) => {
      const known = made.get(idOf(kind, key));
      return known === undefined ? kubernetes.get<T>(kind, key, options) : (known as T);
    },
    apply: async (object, options) => {
      if (options?.subresource === 'status') return object;
      const before = await kubernetes.get<Identified>(kindOf(object), object.metadata);
      if (before === undefined) return make('create', object);
      // What is decided after it depends on who the object is, and on what its status remembers.
      const metadata = appliedTo(before.metadata, object.metadata);
      return make('apply', object, { ...before, ...object, metadata });
    },
    create: (object) => Promise.resolve(make('create', object)),
    patch: async <T>(kind: KindRef, key: Key, patch: object) => {
      print(`---\n# would patch ${idOf(kind, key)}\n${asYaml(patch)}`);
      return { ...(await kubernetes.get<object>(kind, key)), ...patch } as T;
    },
    delete: (kind, key) => {
      print(`---\n# would delete ${idOf(kind, key)}`);
      return Promise.resolve();
    },
  };
}

/** An object as the API server makes it, which gives it an identity. */
const withIdentity = <T extends Identified>(object: T): T => ({
  ...object,
  metadata: { uid: 'dry-run', generation: 1, ...object.metadata },
});

interface Marked {
  readonly labels?: object;
  readonly annotations?: object;
}

/** The metadata of an object to which other metadata is applied. */
const appliedTo = <T extends object>(before: object & Marked, applied: T & Marked): T => ({
  ...before,
  ...applied,
  labels: { ...before.labels, ...applied.labels },
  annotations: { ...before.annotations, ...applied.annotations },
});
