import type { ApplicationOfCell } from '../../crds/application.ts';

/** A cluster that an application runs on. */
export interface ResolvedCluster {
  /** The name of its entry in `spec.clusters`. */
  readonly name: string;
  readonly eksName: string;
  readonly server: string;
  /** The CA of the API server, base64, as EKS gives it. */
  readonly certificateAuthority: string;
  readonly secretName: string;
}

/** The target group of a cluster. */
export interface ResolvedTargetGroup {
  readonly arn: string;
  /** The clusters that share it. */
  readonly clusters: readonly string[];
}

/** What an application comes to: the content of a revision. */
export interface Resolved {
  readonly clusters: readonly ResolvedCluster[];
  readonly secretLabels: Readonly<Record<string, string>>;
  /** Empty without `alb`. */
  readonly targetGroups: readonly ResolvedTargetGroup[];
  /** What the spec of the Cell says of the application. */
  readonly application: ApplicationOfCell;
}
