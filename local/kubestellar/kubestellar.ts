import { type KindRef, BINDING, BINDING_POLICY, COMBINED_STATUS } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { matches, type LabelSelector } from '../../domain/kubernetes/selector.ts';
import { ABOUT } from '../../domain/staged/kubestellar.ts';
import { REPORTS, reportsSpec } from '../../domain/staged/reports.ts';

/** The Deployments that KubeStellar is played with. */
export const DEPLOYMENT: KindRef = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** An object of the workload. */
export interface Workload {
  readonly kind: KindRef;
  readonly namespace: string;
  readonly name: string;
}

/** What a cluster says of an object. */
export interface Reported {
  readonly collector?: string;
  /** The number in the only column of the only row; a number is text. */
  readonly float?: string;
  readonly rows?: readonly object[];
  /** The number of each cluster, in a row of its own that names it. */
  readonly floats?: Readonly<Record<string, string>>;
  /** Which clusters have reported. */
  readonly clusters: readonly string[];
  /** When they have; long after every edit, unless said otherwise. */
  readonly at?: Date;
  /** The BindingPolicy that it is about, when that is not the one of the name. */
  readonly uid?: string;
}

/** A cluster in the inventory. */
export interface ManagedCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly resourceVersion: string;
    readonly managedFields?: readonly { readonly time?: string; readonly subresource?: string }[];
  };
  readonly spec?: {
    readonly clusterSelectors?: readonly LabelSelector[];
    readonly downsync?: readonly {
      readonly statusCollectors?: readonly string[];
      readonly objectNames?: readonly string[];
      readonly wantSingletonReportedState?: boolean;
    }[];
  };
}

const LATER_MS = 60_000;

/**
 * Plays KubeStellar's side: what its controllers make of a BindingPolicy, by the contract that it has published
 * (control.kubestellar.io/v1alpha1, release 0.30). Which objects and clusters are selected is said by the caller.
 */
export class KubeStellar {
  readonly #kubernetes: KubernetesClient;

  constructor(kubernetes: KubernetesClient) {
    this.#kubernetes = kubernetes;
  }

  /** Makes the Binding of a BindingPolicy, or brings it up to date. */
  async bind(policy: string, objects: readonly Workload[], clusters: readonly string[]): Promise<void> {
    const owner = await this.#read(BINDING_POLICY, { name: policy });
    const { uid, generation } = owner.metadata;
    const clauses = owner.spec?.downsync ?? [];
    const said = {
      statusCollectors: clauses.flatMap((clause) => clause.statusCollectors ?? []),
      ...(clauses.some((clause) => clause.wantSingletonReportedState === true)
        ? { wantSingletonReportedState: true }
        : {}),
    };
    const namespaceScope = await Promise.all(
      objects.map(async (object) => ({ ...(await this.#reference(object)), ...said })),
    );
    const of = { apiVersion: BINDING_POLICY.apiVersion, kind: BINDING_POLICY.kind, name: policy, uid };
    const binding = await this.#kubernetes.apply({
      apiVersion: BINDING.apiVersion,
      kind: BINDING.kind,
      metadata: { name: policy, ownerReferences: [{ ...of, controller: true, blockOwnerDeletion: true }] },
      spec: { workload: { namespaceScope }, destinations: clusters.map((clusterId) => ({ clusterId })) },
    });
    const observed = (kind: KindRef, observedGeneration: number | undefined) =>
      this.#kubernetes.patch(
        kind,
        { name: policy },
        { status: { observedGeneration } },
        { subresource: 'status' },
      );
    await observed(BINDING, (binding as unknown as Stored).metadata.generation);
    await observed(BINDING_POLICY, generation);
  }

  /** Makes the Binding of a BindingPolicy with what its clusterSelectors select of an inventory, and nothing when it is about no object. */
  async select(
    policy: string,
    objects: readonly Workload[],
    inventory: readonly ManagedCluster[],
  ): Promise<readonly string[]> {
    const { spec = {} } = await this.#read(BINDING_POLICY, { name: policy });
    const clusters = inventory
      .filter(({ labels }) => (spec.clusterSelectors ?? []).some((selector) => matches(selector, labels)))
      .map(({ name }) => name);
    const isAbout = ({ name }: Workload): boolean =>
      (spec.downsync ?? []).some(
        ({ objectNames = [] }) => objectNames.length === 0 || objectNames.includes(name),
      );
    await this.bind(policy, objects.filter(isAbout), clusters);
    return clusters;
  }

  /** Writes the CombinedStatus of an object and a BindingPolicy. */
  async report(policy: string, object: Workload, said: Reported): Promise<void> {
    const [owner, stored] = [
      await this.#read(BINDING_POLICY, { name: policy }),
      await this.#read(object.kind, object),
    ];
    const { uid, resourceVersion, managedFields = [] } = stored.metadata;
    const { collector = 'deployments-aggregator', float = '1', at = new Date(Date.now() + LATER_MS) } = said;
    const { columnNames, rows } = table({ ...said, float });
    // What the filter of Okra's StatusCollector says: rows only of what was reported after the last edit.
    const isNews = managedFields.every(
      ({ time = '', subresource }) => subresource !== undefined || Date.parse(time) < at.getTime(),
    );
    const reports = said.clusters.map((cluster) => ({
      columns: [cluster, at.toISOString(), uid, resourceVersion].map((string) => ({
        type: 'String',
        string,
      })),
    }));
    const { group, resource } = referenceOf(object);
    await this.#kubernetes.apply(
      {
        apiVersion: COMBINED_STATUS.apiVersion,
        kind: COMBINED_STATUS.kind,
        metadata: {
          namespace: object.namespace,
          name: `${uid}.${said.uid ?? owner.metadata.uid}`,
          labels: {
            [ABOUT.group]: group,
            [ABOUT.resource]: resource,
            [ABOUT.namespace]: object.namespace,
            [ABOUT.name]: object.name,
            [ABOUT.policy]: policy,
          },
        },
        results: [
          { name: collector, columnNames, rows },
          {
            name: REPORTS,
            columnNames: reportsSpec.select.map(({ name }) => name),
            rows: isNews ? reports : [],
          },
        ],
      },
      { force: true },
    );
  }

  async #reference(object: Workload): Promise<object> {
    const { namespace, name } = object;
    const { metadata } = await this.#read(object.kind, object);
    return { ...referenceOf(object), namespace, name, resourceVersion: metadata.resourceVersion };
  }

  async #read(kind: KindRef, key: { readonly namespace?: string; readonly name: string }): Promise<Stored> {
    const found = await this.#kubernetes.get<Stored>(kind, key);
    if (found === undefined) throw new Error(`Expected ${kind.kind} ${key.name}, got none.`);
    return found;
  }
}

function table({ rows, floats, float = '' }: Reported): {
  readonly columnNames: readonly string[];
  readonly rows: readonly object[];
} {
  if (floats === undefined) {
    return { columnNames: ['count'], rows: rows ?? [{ columns: [{ type: 'Number', float }] }] };
  }
  const each = Object.entries(floats).map(([cluster, number]) => ({
    columns: [
      { type: 'String', string: cluster },
      { type: 'Number', float: number },
    ],
  }));
  return { columnNames: ['cluster', 'count'], rows: each };
}

function referenceOf({ kind: { apiVersion, plural } }: Workload) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', resource: plural };
}
