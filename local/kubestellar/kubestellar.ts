import { type KindRef, BINDING, BINDING_POLICY, COMBINED_STATUS } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { matches, type LabelSelector } from '../../domain/kubernetes/selector.ts';
import { ABOUT, REPORTS, reportsSpec, STATUS_MANAGER } from '../../domain/staged/kubestellar.ts';

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
  /** The number of each cluster, in a row of its own that names it; undefined where its object lacks the field. */
  readonly floats?: Readonly<Record<string, string | undefined>>;
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
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly time?: string;
      readonly subresource?: string;
    }[];
  };
  readonly spec?: {
    readonly clusterSelectors?: readonly LabelSelector[];
    readonly downsync?: readonly {
      readonly statusCollectors?: readonly string[];
      readonly objectNames?: readonly string[];
      readonly wantSingletonReportedState?: boolean;
      readonly wantMultiWECReportedState?: boolean;
    }[];
  };
}

/** Whether a clause of a BindingPolicy asks for a status to be copied back, and how. */
const wants = (
  { spec }: Stored,
  field: 'wantSingletonReportedState' | 'wantMultiWECReportedState',
): boolean => spec?.downsync?.some((clause) => clause[field] === true) === true;

const LATER_MS = 60_000;

// What KubeStellar writes of its own (pkg/transport/generic, pkg/util/labels.go, pkg/binding/binding.go).
const TRANSPORT_FINALIZER = 'transport.kubestellar.io/object-cleanup';
const WRONG_NUMBER =
  'Singleton reported status return is requested but some objects have the wrong number of associated WECs';

/**
 * Plays KubeStellar's side: what its controllers make of a BindingPolicy, by the contract that it has published
 * (control.kubestellar.io/v1alpha1, release 0.30). Which objects and clusters are selected is said by the caller.
 */
export class KubeStellar {
  readonly #kubernetes: KubernetesClient;
  readonly #status: KubernetesClient;

  /** With the client by which its status controller labels objects, whose field manager is `Status`. */
  constructor(kubernetes: KubernetesClient, status: KubernetesClient = kubernetes) {
    this.#kubernetes = kubernetes;
    this.#status = status;
  }

  /** Makes the Binding of a BindingPolicy, or brings it up to date; its transport says that it has observed it before it sends anything. */
  async bind(policy: string, objects: readonly Workload[], clusters: readonly string[]): Promise<void> {
    const owner = await this.#read(BINDING_POLICY, { name: policy });
    const { uid, generation } = owner.metadata;
    const clauses = owner.spec?.downsync ?? [];
    const said = {
      statusCollectors: clauses.flatMap((clause) => clause.statusCollectors ?? []),
      wantSingletonReportedState: wants(owner, 'wantSingletonReportedState'),
      wantMultiWECReportedState: wants(owner, 'wantMultiWECReportedState'),
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
    const observed = (kind: KindRef, status: object) =>
      this.#kubernetes.patch(kind, { name: policy }, { status }, { subresource: 'status' });
    await observed(BINDING, { observedGeneration: (binding as unknown as Stored).metadata.generation });
    const isWrong = said.wantSingletonReportedState && clusters.length !== 1;
    await observed(BINDING_POLICY, { observedGeneration: generation, errors: isWrong ? [WRONG_NUMBER] : [] });
  }

  /** Holds the Binding of a BindingPolicy when that is deleted, as transport does until it has taken the objects from the clusters, or lets it go. */
  async hold(policy: string, isHeld = true): Promise<void> {
    const finalizers = isHeld ? [TRANSPORT_FINALIZER] : null;
    await this.#kubernetes.patch(BINDING, { name: policy }, { metadata: { finalizers } });
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
      ({ manager, time = '', subresource }) =>
        subresource !== undefined || manager === STATUS_MANAGER || Date.parse(time) < at.getTime(),
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
    await this.#label(object, owner, said.clusters.length);
  }

  /** Labels an object whose status is copied back, with the first report. */
  async #label(object: Workload, owner: Stored, clusters: number): Promise<void> {
    const isOne = clusters === 1;
    const isSingleton = isOne && wants(owner, 'wantSingletonReportedState');
    if (!isSingleton && !wants(owner, 'wantMultiWECReportedState')) return;
    const label = `managed-by.kubestellar.io/${isOne ? 'singleton' : 'multiwec'}status`;
    await this.#status.patch(object.kind, object, { metadata: { labels: { [label]: 'true' } } });
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

// KubeStellar writes the error of a select into the column, and no rowError.
const NO_SUCH_KEY = { type: 'String', string: 'failed to evaluate expression: no such key: readyReplicas' };

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
      number === undefined ? NO_SUCH_KEY : { type: 'Number', float: number },
    ],
  }));
  return { columnNames: ['cluster', 'count'], rows: each };
}

function referenceOf({ kind: { apiVersion, plural } }: Workload) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', resource: plural };
}
