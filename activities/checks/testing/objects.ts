import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { KubernetesError, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { SECRET_TYPE_LABEL } from '../../../domain/kubernetes/labels.ts';

/** An object as the API server of a test has it. */
export interface Stored {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

const labelsIn = (selector = ''): readonly (readonly string[])[] =>
  selector === '' ? [] : selector.split(',').map((term) => term.split('='));

/** The part of an API server that Checks need. */
export class Objects {
  readonly all = new Map<string, Stored>();
  /** What happens once on the way of the next status. */
  onTheWay: (() => Promise<unknown>) | undefined;
  #version = 0;

  put(object: Stored): void {
    const name = `${object.kind}/${object.metadata.name}`;
    const before = this.all.get(name);
    this.#version += 1;
    this.all.set(name, {
      ...object,
      metadata: { ...object.metadata, resourceVersion: `${this.#version}` },
      ...(before?.['status'] === undefined ? {} : { status: before['status'] }),
    });
  }

  of(kind: string): readonly Stored[] {
    return [...this.all.values()].filter((object) => object.kind === kind);
  }

  /** The status of an object. */
  status(kind: string, name: string): Readonly<Record<string, unknown>> {
    return (this.all.get(`${kind}/${name}`)?.['status'] ?? {}) as Readonly<Record<string, unknown>>;
  }

  client(): KubernetesClient {
    const client = {
      get: ({ kind }: { kind: string }, { name }: { name: string }) =>
        Promise.resolve(this.all.get(`${kind}/${name}`)),
      list: ({ kind }: { kind: string }, { labelSelector }: { labelSelector?: string } = {}) =>
        Promise.resolve(
          this.of(kind).filter(({ metadata }) =>
            labelsIn(labelSelector).every(([key = '', value]) => metadata.labels?.[key] === value),
          ),
        ),
      create: (object: Stored) => {
        this.put({ ...object, metadata: { uid: 'uid', generation: 1, ...object.metadata } });
        return Promise.resolve(object);
      },
      apply: async (object: Stored) => {
        const { onTheWay } = this;
        this.onTheWay = undefined;
        await onTheWay?.();
        const before = this.all.get(`${object.kind}/${object.metadata.name}`);
        const read = object.metadata['resourceVersion'];
        if (read !== undefined && read !== before?.metadata['resourceVersion'])
          throw new KubernetesError({ status: 409, reason: 'Conflict', message: 'It has changed.' });
        if (before === undefined) return object;
        const { status: _before, ...others } = before;
        this.all.delete(`${object.kind}/${object.metadata.name}`);
        this.put({ ...others, status: object['status'] });
        return object;
      },
      patch: ({ kind }: { kind: string }, { name }: { name: string }, { spec }: { spec: object }) => {
        const before = this.all.get(`${kind}/${name}`);
        if (before !== undefined) this.put({ ...before, spec: { ...(before['spec'] as object), ...spec } });
        return Promise.resolve(before);
      },
    };
    // The rest of it is not called.
    return client as unknown as KubernetesClient;
  }
}

/** A cluster secret with the tags of its cluster. */
export const aClusterSecret = (name: string, tags: object): Stored => ({
  kind: 'Secret',
  metadata: {
    name,
    labels: { [SECRET_TYPE_LABEL]: 'cluster' },
    annotations: { 'okra.mumo.co/cluster-tags': JSON.stringify(tags) },
  },
  data: { name: Buffer.from(name).toString('base64') },
});

/** Runs as an activity. */
export const asActivity = <T>(run: () => Promise<T>): Promise<T> => {
  const context = { info: { attempt: 1 }, cancellationSignal: new AbortController().signal };
  // The context is a class that only a worker makes; these are the parts that are used.
  return asyncLocalStorage.run(context as unknown as Context, run);
};
