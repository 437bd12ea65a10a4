import { given } from '../../model/fields.ts';

/** Decodes base64 to text; undefined when it is none. What does so stands in clients/, as JavaScript itself knows no bytes. */
export type Decode = (base64: string) => string | undefined;

/** A Secret, as far as it speaks of a cluster. */
export interface ClusterSecret {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** How a cluster is reached. */
export interface ClusterConnection {
  readonly name: string;
  /** The address of its API server, or the ARN of an EKS cluster, whose address EKS knows. */
  readonly server: string;
  /** The only namespaces that may be touched; empty: all. */
  readonly namespaces: readonly string[];
  readonly tls: ClusterTls;
  readonly login: ClusterLogin;
  readonly certificate?: ClientCertificate;
}

/** How one logs in to a cluster. Values are secret, all but the names of things. */
export type ClusterLogin =
  | { readonly by: 'Token'; readonly token: string }
  | { readonly by: 'Password'; readonly username: string; readonly password: string }
  | ({ readonly by: 'Certificate' } & ClientCertificate)
  | ({ readonly by: 'EKS' } & EKSLogin)
  | ({ readonly by: 'Command' } & CommandLogin)
  /** As Okra itself, to the cluster that the secret is in. */
  | { readonly by: 'InCluster' };

/** A client certificate and its key; PEM in base64, both. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Which EKS cluster to have a token signed for, and as whom. */
export interface EKSLogin {
  readonly clusterName: string;
  /** Undefined: the region that Okra runs in. */
  readonly region?: string;
  /** Undefined: Okra's own identity. */
  readonly roleARN?: string;
  /** What the role's owner asks for beside the ARN. */
  readonly externalID?: string;
}

/** Which command prints credentials, as kubectl's exec plugins do. */
export interface CommandLogin {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly apiVersion: string;
}

interface ClusterTls {
  /** PEM in base64; undefined: the system's CAs. */
  readonly caData?: string;
  /** The name that the certificate has to bear; undefined: the host of the address. */
  readonly serverName?: string;
  readonly insecure: boolean;
}

/** What Argo CD calls the cluster that it runs in (KubernetesInternalAPIServerAddr), and reaches as itself. */
export const IN_CLUSTER = 'https://kubernetes.default.svc';

const ARN = /^arn:aws[a-z-]*:eks:([a-z0-9-]{1,32}):\d{12}:cluster\/([0-9A-Za-z][\w-]{0,99})$/;

/** Reads which EKS cluster an ARN names, as Argo CD on EKS has it in place of an address; undefined when it is none. */
export function namedByARN(
  server: string,
): { readonly region: string; readonly clusterName: string } | undefined {
  const [, region, clusterName] = ARN.exec(server) ?? [];
  return region === undefined || clusterName === undefined ? undefined : { region, clusterName };
}

interface EKSClusterFacts {
  readonly name: string;
  readonly endpoint: string;
  /** PEM in base64, as EKS gives it. */
  readonly caData: string;
  readonly region?: string;
  readonly roleARN?: string;
  readonly externalID?: string;
}

/** Writes the config of a secret with the ARN of a cluster, which says as whom Okra logs in; empty as Okra itself. */
export const configByARN = ({
  name,
  roleARN,
  externalID,
}: Omit<EKSClusterFacts, 'endpoint' | 'caData'>): string =>
  roleARN === undefined
    ? ''
    : JSON.stringify({
        awsAuthConfig: { clusterName: name, roleARN, ...given({ externalID }) },
      });

/** Writes what stands in the secret by which Argo CD, and Okra, reach an EKS cluster, before it is put into base64. */
export function clusterSecretValues(
  of: EKSClusterFacts,
): Readonly<Record<'name' | 'server' | 'config', string>> {
  const { name, endpoint, caData, region, roleARN, externalID } = of;
  const config = {
    awsAuthConfig: {
      clusterName: name,
      ...given({ roleARN }),
      // Argo CD passes over what it does not know.
      ...given({ region, externalID }),
    },
    tlsClientConfig: { insecure: false, caData },
  };
  return {
    name,
    server: endpoint,
    config: JSON.stringify(config),
  };
}
