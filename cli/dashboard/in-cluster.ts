import { once } from 'node:events';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes } from '../../clients/kubernetes/kubernetes.ts';
import { connectWithToken, type Person } from '../../clients/kubernetes/person.ts';
import type { Log } from '../../clients/log.ts';
import { connectOperator } from '../../clients/temporal/operator.ts';
import type { Waiting } from '../../clients/backoff.ts';
import { limitConcurrency } from '../../clients/concurrency.ts';
import type { Config } from '../../config/config.ts';
import { GROUP } from '../../crds/resource.ts';
import { connectOnDemand } from '../okractl/session.ts';
import { serveDashboard } from './http.ts';
import { openHub, type Requester, type Viewer, type Viewers } from './hub.ts';
import { keepLogins } from './logins.ts';

interface InCluster {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly waiting: Waiting;
}

/** Serves the dashboard in the cluster until the signal: to those who log in, or to be looked at on the own machine alone. */
export async function runDashboard({ config, log, version, signal, waiting }: InCluster): Promise<void> {
  const { host, port, login, hosts } = config.dashboard;
  const now = Date.now;
  const inTurn = limitConcurrency(MOST_AT_ONCE);
  const operator = connectOnDemand(() => connectOperator(config.temporal, `dashboard ${config.identity}`));
  const viewers = login
    ? {
        ...keepLogins((token, until) => entered(config, token, until, operator), { now, signal }),
        person: (token: string) => inTurn(() => personBy(config, token, operator)),
      }
    : onlyLooking(config, signal, operator);
  const failed = (error: unknown): void => log.error({ err: error }, 'request of the dashboard failed');
  const server = await serveDashboard({ host, port, hosts, viewers, version, now, failed });
  log.info({ host, port: server.port, login }, 'dashboard serves');
  waiting(undefined);
  if (!signal.aborted) await once(signal, 'abort');
  await Promise.all([server.close(), operator.close()]);
}

/** Of how many tokens the API server is asked at once. */
const MOST_AT_ONCE = 20;

type Operators = ReturnType<typeof connectOnDemand>;

/** Makes one who asks of a token of Kubernetes; throws when the API server does not know it. */
async function personBy(
  config: Config,
  token: string,
  operator: Operators,
): Promise<Requester & { readonly by: string }> {
  const person = connectWithToken(config.kubernetes.kubeconfig, token);
  return { session: sessionOf(config, person, operator), by: await person.whoAmI() };
}

async function entered(
  config: Config,
  token: string,
  signal: AbortSignal,
  operator: Operators,
): Promise<Viewer> {
  const { session, by } = await personBy(config, token, operator);
  const { watchNamespaces } = config.kubernetes;
  const namespaces = await visibleTo(session, watchNamespaces);
  if (namespaces === undefined) {
    const where =
      watchNamespaces.length === 0 ? 'in all namespaces' : `in any of ${watchNamespaces.join(', ')}`;
    throw new Error(
      `You may not list cells.${GROUP} ${where}. Ask for a binding to ClusterRole okra-viewer, or use okractl dashboard -n with a namespace.`,
    );
  }
  const hub = openHub({ kubernetes: session.kubernetes, namespaces, now: Date.now, signal });
  const maySee = async (): Promise<boolean> =>
    stillCovers(await visibleTo(session, watchNamespaces), namespaces);
  return { session, hub, signal, by, maySee };
}

/** Where the person may see Cells; empty: everywhere, and undefined: nowhere. */
async function visibleTo(
  { may }: Pick<Person, 'may'>,
  watched: readonly string[],
): Promise<readonly string[] | undefined> {
  const access = { group: GROUP, resource: CELL.plural, verb: 'list' };
  if (watched.length === 0) return (await may(access)) ? [] : undefined;
  const allowed = await Promise.all(
    watched.map(async (namespace) => ((await may({ ...access, namespace })) ? [namespace] : [])),
  );
  return allowed.flat().length === 0 ? undefined : allowed.flat();
}

/** Whether a person may see all that they could at first. */
export const stillCovers = (now: readonly string[] | undefined, first: readonly string[]): boolean =>
  now !== undefined && (now.length === 0 || (first.length > 0 && first.every((one) => now.includes(one))));

/** Nobody logs in: what the dashboard itself may see, and nothing can be asked for. */
function onlyLooking(config: Config, signal: AbortSignal, operator: Operators): Viewers {
  const kubernetes = connectKubernetes(config.kubernetes.kubeconfig);
  const namespaces = config.kubernetes.watchNamespaces;
  const hub = openHub({ kubernetes, namespaces, now: Date.now, signal });
  const nobody = {
    kubernetes,
    whoAmI: () => Promise.resolve('nobody'),
    identity: () => Promise.resolve({ name: 'nobody', groups: [] }),
    may: () => Promise.resolve(false),
  };
  const viewer: Viewer = { session: sessionOf(config, nobody, operator), hub, signal, by: undefined };
  return { of: () => viewer, logOut: () => undefined };
}

const sessionOf = (
  { temporal, taskQueue, temporalUi, docsUrl }: Config,
  person: Omit<Person, 'namespace'>,
  operator: Operators,
): Viewer['session'] => ({ ...person, operator: operator.get, taskQueue, temporal, temporalUi, docsUrl });
