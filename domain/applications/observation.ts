import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import type { Freezing } from '../gates/freeze.ts';
import type { ObjectKey } from '../model/ids.ts';
import type { AnalysisVerdict } from '../rollout/measure/analysis.ts';
import type { RevisionData } from '../../crds/application.ts';

/** A cluster of the Cell, as EKS and its API server answered. */
export interface ObservedCluster {
  /** The name of its entry in `spec.clusters`. */
  readonly name: string;
  /** Undefined while EKS does not name an endpoint for it. */
  readonly found?: ResolvedCluster;
  readonly tags: Readonly<Record<string, string>>;
  readonly isReady: boolean;
  /** Why it is not ready, or could not be looked at. */
  readonly message: string;
}

/** The Argo CD secret of a cluster that belongs to this Cell, or stands in its place. */
export interface ObservedSecret {
  readonly name: string;
  /** The cluster that it is of, by its name in EKS; undefined where it does not say so plainly. */
  readonly eksName?: string;
  /** The labels that each application has asked of it, by the name of the application; empty when it is not this Cell's. */
  readonly applications: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly isOwn: boolean;
  /** What it says of its cluster: the address and the CA. */
  readonly server: string;
  readonly certificateAuthority: string;
  /** Whether its labels, annotations and data are what `clusterSecret` makes of the fields above. */
  readonly isIntact: boolean;
  /** An Application that Argo CD still has on the cluster of a secret that no application asks for. */
  readonly leftApplication?: string;
}

/** What the ApplicationSet of an application says about one cluster: of the clusters of its kept revisions, and of those that it comes to now. */
export interface ObservedDeployment {
  readonly secretName: string;
  readonly isPresent: boolean;
  /** Whether all of them are Synced and Healthy, by a status that is not from before. */
  readonly isHealthy: boolean;
  readonly message: string;
}

/** A revision that was kept as a ControllerRevision; those with the same target groups as the good one before have its version. */
export type ObservedRevision = RevisionData & { readonly number: number; readonly isGood: boolean };

/** The Cell that moves the traffic of an application. */
export interface ObservedChild {
  readonly name: string;
  /** False: an object of that name is not this Cell's. */
  readonly isOwn: boolean;
  readonly uid: string;
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly revision: number | undefined;
  /** Whether its labels, annotations and spec are what `childOf` makes of that revision. */
  readonly isAsDesired: boolean;
  readonly status: CellStatus;
}

/** An AWSTargetGroup that belongs to an application. */
export interface ObservedTargetGroup {
  readonly name: string;
  readonly arn: string;
  readonly version: string;
  /** False: an object of that name is not this Cell's. */
  readonly isOwn: boolean;
}

/** How far something that is measured has come, by the name that `measurementName` has given it. */
export interface ObservedMeasurement extends Omit<AnalysisVerdict, 'unmeasured'> {
  readonly isEnding?: boolean;
  /** Whether some of its Checks are missing: not made yet, or deleted. */
  readonly isPartial?: boolean;
}

/** All that was observed of one application. */
export interface ObservedApplication {
  readonly name: string;
  /** What the spec comes to now; the problems say why it cannot be followed. */
  readonly resolved:
    | { readonly ok: true; readonly value: Resolved; readonly hash: string }
    | {
        readonly ok: false;
        readonly problems: readonly string[];
        /** Set when a cluster that it depends on did not answer. */
        readonly isUnanswered?: true;
      };
  /** Set when it cannot be resolved, and would not resolve to its newest revision, whatever is unknown. */
  readonly isSuperseded?: true;
  /** Newest first. */
  readonly revisions: readonly ObservedRevision[];
  /** Undefined without `argocd.applicationSet`. */
  readonly deployments?: readonly ObservedDeployment[];
  /** Undefined: there is none yet, or the application has no `alb`. */
  readonly child?: ObservedChild;
  /** The AWSTargetGroups of the application, and foreign ones of their names. */
  readonly targetGroups: readonly ObservedTargetGroup[];
  /** Digest of the forward config: what `alb` says, and the target groups that are served now with a weight above 0. */
  readonly forwardHash: string;
  /** Those of the prechecks, checks and postchecks that were started. */
  readonly measurements: readonly ObservedMeasurement[];
}

/** What one look at a Cell of applications has found. */
export interface ObservedApplications {
  readonly key: ObjectKey;
  readonly cell?: {
    readonly uid: string;
    readonly generation: number;
    readonly isDeleting: boolean;
    readonly spec: ApplicationsSpec;
    readonly status: CellStatus;
    readonly problems: readonly string[];
  };
  readonly clusters: readonly ObservedCluster[];
  /** Set when EKS and the clusters were not asked, because what goes back or is to hold does not wait for them. */
  readonly isWithoutClusters?: true;
  readonly secrets: readonly ObservedSecret[];
  readonly applications: readonly ObservedApplication[];
  readonly freezes: readonly Freezing[];
  /** Identifies what was looked at; watchers compare it with `status.observedHash`. */
  readonly digest: string;
}

/** What an application comes to: the content of a revision; without `alb` it has no target groups. */
export type Resolved = RevisionData['content'];

/** A cluster that an application runs on; the CA of its API server is base64, as EKS gives it. */
export type ResolvedCluster = Resolved['clusters'][number];
