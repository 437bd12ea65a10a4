import type {
  ClientCertificate,
  ClusterConnection,
  ClusterLogin,
} from '../../domain/discovery/clusters/cluster-secret.ts';
import { Agent, type Dispatcher } from 'undici';
import { withoutEnd } from '../../domain/text.ts';
import { http1 } from '../http1.ts';
import {
  guardedConnector,
  KEEP_ALIVE_MILLISECONDS,
  type GuardOptions,
  type TlsOptions,
} from './guarded-connect.ts';

/** What a request goes out with. */
export interface Opened {
  readonly headers: Readonly<Record<string, string>>;
  /** The connections that it shares with others. */
  readonly dispatcher: Dispatcher;
}

/** The way to an API server. */
export interface Door {
  /** Without a slash at its end. */
  readonly server: string;
  /** Gets a request ready; throws a KubernetesError when there is nothing to log in with. */
  open(): Promise<Opened>;
  /** Makes the next request open a new connection; those under way keep theirs. */
  renew(): void;
}

/** What a way is made of that someone else has named. */
export interface RemoteDoorOptions extends GuardOptions {
  readonly server: string;
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a way that someone else has named: one agent, which connects to no link-local or metadata address. */
export function remoteDoor({ server, tls, headers, names }: RemoteDoorOptions): Door {
  const connect = guardedConnector(tls, { names });
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
export function foundDoor(find: (isLost: boolean) => Promise<RemoteDoorOptions>): Door {
  let known: { readonly server: string; readonly ca: string; readonly door: Door } | undefined;
  let isLost = false;
  return {
    get server() {
      return known?.door.server ?? '';
    },
    open: async () => {
      const found = await find(isLost);
      const { server, tls } = found;
      const ca = String(tls?.ca);
      if (known?.server !== server || known.ca !== ca) known = { server, ca, door: remoteDoor(found) };
      isLost = false;
      return await known.door.open();
    },
    renew: () => {
      isLost = true;
      known?.door.renew();
    },
  };
}

/** Says how a cluster is connected to. */
export function doorOf({ server, tls, login, certificate }: ClusterConnection): RemoteDoorOptions {
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
