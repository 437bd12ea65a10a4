import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { Cell, CellStatus } from '../../../crds/cell.ts';
import { CELL_LABEL } from '../../../domain/kubernetes/labels.ts';
import { applicationSet } from '../../../local/argo-cd/application-set.ts';
import { startArgoCD } from '../../../local/argo-cd/install.ts';
import { playSyncing, type Fate } from '../../../local/argo-cd/syncing.ts';
import { createTargetGroup } from '../../../local/aws-fixture.ts';
import { changeCluster, type ClusterFacts } from '../../../local/eks-fixture.ts';
import { installTargetGroupBindings } from '../../../local/target-group-bindings.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../../local/workload-cluster.ts';
import { addTwin } from '../../../local/workload-twin.ts';
import type { Stage } from './stage.ts';

/** A change of a cluster secret that belongs to a Cell. */
export interface SecretEvent {
  readonly did: 'comes' | 'goes';
  readonly cluster: string;
  readonly at: number;
}

/** EKS clusters of a stage, the Argo CD that deploys to them, and what became of their secrets. */
export interface Fleet extends AsyncDisposable {
  /** The one API server that plays all clusters. */
  readonly workload: WorkloadCluster;
  /** How Applications fare from now on, by the name of the cluster in the Cell; well, unless it is said. */
  readonly fates: Map<string, Fate>;
  /** Every coming and going of a cluster secret, in order. They come by a watch, so that none is missed. */
  readonly secrets: readonly SecretEvent[];
  /** The Applications whose objects are deployed on a cluster, also where Argo CD does not know of them any more. */
  runningOn(name: string): readonly string[];
  /** Creates an EKS cluster, and a target group of its own for the application of the same role; answers with its entry in `spec.clusters`. */
  bring(name: string, labels: { readonly role: string }, facts?: ClusterFacts): Promise<ClusterEntry>;
  /** Changes what EKS says of a cluster. */
  change(name: string, facts: ClusterFacts): Promise<void>;
  /** The name of a cluster in EKS, which is that of its secret. */
  eksName(name: string): string;
}

/** A cluster as a Cell names it. */
export interface ClusterEntry {
  readonly name: string;
  readonly eks: { readonly clusterName: string };
  readonly labels: Readonly<Record<string, string>>;
}

/** Starts Argo CD in the namespace of a stage, with an ApplicationSet for each of these roles, and a workload cluster that plays all others. */
export async function openFleet(
  stage: Stage,
  roles: readonly string[],
  /** The Cell whose applications bear the names of the roles. */
  cell = 'mysystem',
): Promise<Fleet> {
  const { stack, namespace, kubernetes } = stage;
  await using undo = new AsyncDisposableStack();
  const eksName = (name: string): string => `${namespace}-${name}`;
  const [workload] = await Promise.all([
    startWorkloadCluster(stack, { name: eksName('plays-all'), secretAccessKey: stage.secretAccessKey }),
    startArgoCD(stack, namespace).then((argoCD) => undo.use(argoCD)),
  ]);
  undo.use(workload);
  await installTargetGroupBindings(workload.kubernetes);
  for (const role of roles)
    await kubernetes.create(
      applicationSet({ namespace, name: role, labels: { app: role }, clusters: { 'myservice-role': role } }),
    );
  const fates = new Map<string, Fate>();
  const nameOf = new Map<string, string>();
  const syncing = undo.use(
    playSyncing(kubernetes, {
      namespace,
      fateOf: ({ server }) => fates.get(nameOf.get(server) ?? '') ?? 'Healthy',
    }),
  );
  const { secrets, end } = await watchSecrets(stage, namespace);
  undo.defer(end);
  const disposables = undo.move();
  return {
    workload,
    fates,
    secrets,
    runningOn: (name) =>
      [...nameOf].flatMap(([server, of]) => (of === name ? syncing.runningOn(server) : [])),
    eksName,
    async bring(name, labels, facts = { status: 'ACTIVE' }) {
      const twin = await addTwin(stack.aws, workload, { ...facts, name: eksName(name), tags: labels });
      disposables.use(twin);
      nameOf.set(twin.endpoint, name);
      const { arn } = await createTargetGroup(stage.elbv2, eksName(name).slice(-32).replace(/^-+/, ''), {
        protocol: 'HTTP',
      });
      // As the AWSTargetGroup is called that will name it.
      stage.arns.set(`${cell}-${labels.role}-${name}`, arn);
      return {
        name,
        eks: { clusterName: eksName(name) },
        labels: { ...labels, targetGroupARN: arn },
      };
    },
    change: (name, facts) => changeCluster(stack.aws, eksName(name), facts),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function watchSecrets({ kubernetes, namespace }: Stage, prefix: string) {
  interface Secret {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  }
  const secrets: SecretEvent[] = [];
  const stop = new AbortController();
  const { resourceVersion } = await kubernetes.snapshot<Secret>(SECRET, { namespace });
  const events = kubernetes.watch<Secret>(SECRET, { namespace, resourceVersion, signal: stop.signal });
  const following = (async () => {
    for await (const event of events) {
      if (event.type === 'BOOKMARK' || event.type === 'MODIFIED') continue;
      const { name, labels } = event.object.metadata;
      if (labels?.[CELL_LABEL] === undefined) continue;
      const did = event.type === 'DELETED' ? 'goes' : 'comes';
      secrets.push({ did, cluster: name.slice(prefix.length + 1), at: Date.now() });
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return {
    secrets,
    end: async () => {
      stop.abort();
      await following;
    },
  };
}

/** The phases of the applications in a status, by their names. */
export const phasesIn = (status: CellStatus): Readonly<Record<string, string>> =>
  Object.fromEntries((status.applications ?? []).map(({ name, phase }) => [name, phase]));

/** Whether every application of a Cell is Synced. */
export const allSynced = (status: CellStatus): boolean =>
  (status.applications ?? []).length > 0 &&
  (status.applications ?? []).every(({ phase }) => phase === 'Synced');

/** A Cell with applications. */
export const cellOf = (
  name: string,
  clusters: readonly ClusterEntry[],
  applications: readonly object[],
  more: object = {},
): Pick<Cell, 'apiVersion' | 'kind' | 'metadata'> & { readonly spec: object } => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'Cell',
  metadata: { name },
  // The local load balancers follow at once.
  spec: { settle: '0s', clusters, applications, ...more },
});

/** An application behind the listener of a stage, deployed by the ApplicationSet of its name. */
export const webApplication = (
  { listenerARN }: Stage,
  of: {
    readonly name: string;
    readonly role: string;
    readonly priority: number;
    readonly stepWeight?: number;
    readonly more?: object;
  },
) => ({
  name: of.name,
  clusterSelector: { role: of.role },
  argocd: {
    clusterSecret: { labels: { 'myservice-role': of.name } },
    applicationSet: { name: of.name },
    updateStrategy: { type: 'CreateBeforeDelete' },
  },
  alb: {
    listenerARN,
    forwardConfig: {
      priority: of.priority,
      hosts: [`${of.name}.example.com`],
      targetGroup: { arnFromLabel: 'targetGroupARN' },
    },
    updateStrategy: { stepWeight: of.stepWeight ?? 100, totalWeight: 100 },
  },
  ...of.more,
});

/** An application without a load balancer, whose old clusters go before the new ones come. */
export const jobsApplication = (...prechecks: readonly object[]) => ({
  name: 'jobs',
  clusterSelector: { role: 'jobs' },
  argocd: {
    clusterSecret: { labels: { 'myservice-role': 'jobs' } },
    applicationSet: { name: 'jobs' },
    updateStrategy: { type: 'DeleteBeforeCreate' },
  },
  prechecks,
});
