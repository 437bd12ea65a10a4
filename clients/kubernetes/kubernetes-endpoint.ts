import type {
  ClientCertificate,
  ClusterConnection,
  ClusterLogin,
} from '../../domain/discovery/clusters/cluster-secret.ts';
import { Agent, type Dispatcher } from 'undici';
import { withoutEnd } from '../../domain/text.ts';
import { http1 } from '../bounded-request.ts';
import {
  makeGuardedConnector,
  KEEP_ALIVE_MILLISECONDS,
  type NameLookups,
  type TlsOptions,
} from './guarded-connect.ts';

/** What a request goes out with. */
export interface Opened {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly dispatcher: Dispatcher;
}

/** The way to an API server. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly server: string;
  /** Gets a request ready; throws a KubernetesError when there is nothing to log in with. */
  open(): Promise<Opened>;
  /** Makes the next request open a new connection; those under way keep theirs. */
  renew(): void;
}

interface RemoteEndpoint {
  readonly server: string;
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** How names are looked up; by default by the system. */
  readonly names?: NameLookups | undefined;
}

/** Makes a way that someone else has named: one agent, which connects to no link-local or metadata address. */
export function openRemote({ server, tls, headers, names }: RemoteEndpoint): Endpoint {
  const connect = makeGuardedConnector(tls, names);
  let dispatcher: Dispatcher | undefined;
  return {
    server: withoutEnd(server, '/'),
    open: async () => {
      dispatcher ??= new Agent({ ...http1, keepAliveTimeout: KEEP_ALIVE_MILLISECONDS, connect });
      return await Promise.resolve({ headers, dispatcher });
    },
    renew: () => {
      dispatcher = undefined;
    },
  };
}

/** Makes a way to a server whose address is asked for, again once nothing is there any more. */
export function openFound(find: (isLost: boolean) => Promise<RemoteEndpoint>): Endpoint {
  let known: { readonly server: string; readonly ca: string; readonly endpoint: Endpoint } | undefined;
  let isLost = false;
  return {
    get server() {
      return known?.endpoint.server ?? '';
    },
    open: async () => {
      const found = await find(isLost);
      const { server, tls } = found;
      const ca = String(tls?.ca);
      if (known?.server !== server || known.ca !== ca) known = { server, ca, endpoint: openRemote(found) };
      isLost = false;
      return await known.endpoint.open();
    },
    renew: () => {
      isLost = true;
      known?.endpoint.renew();
    },
  };
}

/** Says how a cluster is connected to. */
export function describeEndpoint({ server, tls, login, certificate }: ClusterConnection): RemoteEndpoint {
  const { caData, serverName, insecure } = tls;
  const pair = login.by === 'Certificate' ? login : certificate;
  return {
    server,
    headers: staticLogin(login),
    tls: {
      ...(pair === undefined ? {} : shown(pair)),
      rejectUnauthorized: !insecure,
      ...(caData === undefined ? {} : { ca: decoded(caData) }),
      ...(serverName === undefined ? {} : { servername: serverName }),
    },
  };
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

function staticLogin(login: ClusterLogin): Readonly<Record<string, string>> {
  switch (login.by) {
    case 'Token':
      return { Authorization: `Bearer ${login.token}` };
    case 'Password': {
      const both = Buffer.from(`${login.username}:${login.password}`).toString('base64');
      return { Authorization: `Basic ${both}` };
    }
    case 'Certificate':
    case 'InCluster':
    case 'EKS':
    case 'Command':
      return {};
  }
}

const shown = ({ certificate, key }: ClientCertificate) => ({
  cert: decoded(certificate),
  key: decoded(key),
});
