import { type Decode, namedByARN, type ClusterConnection } from './cluster-secret.ts';

/** What EKS says of the API server of a cluster. */
export interface EKSEndpoint {
  readonly arn: string;
  /** Undefined while the cluster is being created. */
  readonly endpoint?: string | undefined;
  /** PEM in base64; undefined while the cluster is being created. */
  readonly caData?: string | undefined;
}

/** Says why a token is not sent to what is not the API server of its EKS cluster: who gets it is Okra there. Does not tell the endpoint. */
export function refuseForeignEndpoint(
  { server, tls }: Pick<ClusterConnection, 'server' | 'tls'>,
  { arn, endpoint, caData }: EKSEndpoint,
  decode: Decode,
): string | undefined {
  if (namedByARN(server) !== undefined) {
    if (arn !== server)
      return 'data.server names a cluster in another account than the one that EKS describes. No token was sent; set awsAuthConfig.roleARN to a role in the account of the cluster.';
    if (endpoint === undefined || caData === undefined)
      return 'EKS reports no endpoint and CA yet for the cluster that data.server names. No token was sent.';
  } else if (endpoint === undefined || originOf(endpoint) !== originOf(server)) {
    return 'data.server must be the endpoint that EKS reports for awsAuthConfig.clusterName. No token was sent; copy the endpoint from aws eks describe-cluster.';
  }
  if (tls.caData === undefined || trusts(textOf(tls.caData, decode), textOf(caData, decode)))
    return undefined;
  return 'tlsClientConfig.caData must be exactly the CA that EKS reports for awsAuthConfig.clusterName. No token was sent; copy the CA from aws eks describe-cluster.';
}

const HTTPS = 'https://';

/** The address without what may be spelled in several ways; undefined when it is none of an API server. */
function originOf(address: string): string | undefined {
  const spelled = address.toLowerCase();
  if (!spelled.startsWith(HTTPS)) return undefined;
  const place = spelled.slice(HTTPS.length, spelled.endsWith('/') ? -1 : undefined);
  return place.endsWith(':443') ? place.slice(0, -':443'.length) : place;
}

function trusts(asked: string, given: string): boolean {
  if (asked === given) return given !== '';
  const known = new Set(certificatesIn(given));
  const wanted = certificatesIn(asked) ?? [];
  return wanted.length > 0 && wanted.every((certificate) => known.has(certificate));
}

const textOf = (caData: string | undefined, decode: Decode): string => decode(caData ?? '') ?? '';

// An empty line within would make headers of what stands before it.
const CERTIFICATE =
  /^-----BEGIN CERTIFICATE-----\r?\n((?:[A-Za-z0-9+/]+={0,2}\r?\n)+)-----END CERTIFICATE-----$/gm;

/** The certificates of a bundle without line breaks; undefined with anything else, as OpenSSL trusts more names (`X509 CERTIFICATE`). */
function certificatesIn(pem: string): readonly string[] | undefined {
  if (/[^\r\n]/.test(pem.replaceAll(CERTIFICATE, ''))) return undefined;
  return Array.from(pem.matchAll(CERTIFICATE), ([, body = '']) => body.replaceAll(/[\r\n]/g, ''));
}
