/** What a request says about where it comes from. */
export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`; undefined: a browser that does not say so, or no browser. */
  readonly site: string | undefined;
  /** `Sec-Fetch-Dest`. */
  readonly destination: string | undefined;
  /** The header by which the page says that it asks, and not a form or a link. */
  readonly mark: string | undefined;
  readonly contentType: string | undefined;
}

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 400 | 403 | 405 | 415 | 421;
  readonly message: string;
}

/** The header that the page sets: no form can, and no page of elsewhere without being asked first whether it may. */
export const MARK = 'x-okra-dashboard';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Says why a request is not answered; undefined when it comes from the page, or opens it. */
export function refusalOf(asking: Asking, hosts: readonly string[]): Refusal | undefined {
  const { method, path, host = '', site, destination } = asking;
  // A name of elsewhere that has been made to mean this machine (DNS rebinding).
  if (!isNamed(host, [...LOOPBACK, ...hosts]))
    return {
      status: 421,
      message: `Expected to be asked as ${[...LOOPBACK, ...hosts].join(', ')}, got the host ${JSON.stringify(host)}. Open the page by one of these names, or add the name to OKRA_DASHBOARD_HOSTS.`,
    };
  if (!['GET', 'HEAD', 'POST', 'DELETE'].includes(method))
    return { status: 405, message: `Expected GET, POST or DELETE, got ${method}.` };
  const opens = path === '/' && (destination === undefined || destination === 'document');
  const isFromElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isFromElsewhere && !opens)
    return { status: 403, message: 'Expected a request of this page, got one of another.' };
  return path.startsWith('/api/') ? refusalOfCall(asking, host) : undefined;
}

function refusalOfCall({ method, origin, mark, contentType }: Asking, host: string): Refusal | undefined {
  if (mark === undefined)
    return { status: 403, message: `Expected the header ${MARK}, got none. Use the page.` };
  if (origin !== undefined && !isOrigin(origin, host))
    return { status: 403, message: 'Expected a request of this page, got one of another origin.' };
  if (method !== 'POST' && method !== 'DELETE') return undefined;
  if (origin === undefined)
    return { status: 403, message: 'Expected the header Origin of this page, got none.' };
  if (method === 'POST' && contentType?.split(';')[0]?.trim() !== 'application/json')
    return { status: 415, message: 'Expected application/json, got something else.' };
  return undefined;
}

function isNamed(host: string, names: readonly string[]): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:/@\s]+)(:\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
  return name !== undefined && names.some((one) => one.toLowerCase() === name);
}

/** The scheme is that of whoever speaks TLS in front. */
const isOrigin = (origin: string, host: string): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;
