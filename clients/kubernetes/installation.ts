import { randomUUID } from 'node:crypto';
import { shareReading } from '../concurrency.ts';
import { CONFIG_MAP } from './kinds.ts';
import {
  isConflict,
  isForbidden,
  isNotFound,
  KubernetesError,
  type Identified,
  type KubernetesClient,
} from './kubernetes.ts';

/** The name of the ConfigMap that holds the id of the installation. */
export const INSTALLATION_NAME = 'okra-installation';

/** Gives the id of the installation, by which what it owns in AWS is told from what others do. */
export type Installation = () => Promise<string>;

interface InstallationOptions {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create'>;
  readonly namespace: string;
  readonly newId?: () => string;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
}

interface ConfigMap extends Identified {
  readonly data?: Readonly<Record<string, string>>;
  /** Keeps the API server from changing it; who wants another has to delete it. */
  readonly immutable?: boolean;
}

/** How long an id is taken for granted. After that it is looked for in the background, and put back when it is gone. */
const GOOD_FOR_MS = 60_000;

/** Finds the id of the installation, and makes one when there is none; of several who make one at once the first counts. */
export function installationIn(options: InstallationOptions): Installation {
  const { clock = Date.now, newId = shortId } = options;
  let known: { readonly id: string; readonly at: number } | undefined;
  const share = shareReading(async () => {
    const id = await findOrCreate(options, known?.id ?? newId());
    known = { id, at: clock() };
    return id;
  });

  return async () => {
    const isFresh = known !== undefined && clock() - known.at < GOOD_FOR_MS;
    if (known !== undefined && isFresh) return known.id;
    const asking = share();
    if (known === undefined) return await asking;
    // Nothing has to wait for an API server that is away; what is known is still right.
    asking.catch(() => undefined);
    return known.id;
  };
}

async function findOrCreate(
  { kubernetes, namespace }: InstallationOptions,
  otherwise: string,
): Promise<string> {
  const { apiVersion, kind } = CONFIG_MAP;
  const metadata = { namespace, name: INSTALLATION_NAME };
  const read = (): Promise<ConfigMap | undefined> => kubernetes.get<ConfigMap>(CONFIG_MAP, metadata);
  try {
    const found = await read();
    if (found !== undefined) return idIn(found, namespace);
    const made: ConfigMap = { apiVersion, kind, metadata, immutable: true, data: { id: otherwise } };
    return idIn(await kubernetes.create<ConfigMap>(made), namespace);
  } catch (error) {
    if (!isConflict(error)) throw explained(error, namespace);
    // Someone was faster.
    const found = await read();
    if (found === undefined) throw error;
    return idIn(found, namespace);
  }
}

function idIn({ data }: ConfigMap, namespace: string): string {
  const id = data?.['id'] ?? '';
  if (/^[a-z0-9][-a-z0-9]{0,62}$/.test(id)) return id;
  const message = `invalid data.id in ConfigMap ${namespace}/${INSTALLATION_NAME} ${JSON.stringify(id.slice(0, 80))}: must be the id of this installation, at most 63 of a-z, 0-9 and -. Delete it, and make it again with the id that the tags okra.mumo.co/owner in AWS end in.`;
  throw new KubernetesError({ status: 422, reason: 'Invalid', message });
}

const shortId = (): string => randomUUID().replaceAll('-', '').slice(0, 12);

function explained(error: unknown, namespace: string): unknown {
  if (!(error instanceof KubernetesError)) return error;
  const { status, reason, message } = error;
  const name = `ConfigMap ${namespace}/${INSTALLATION_NAME}`;
  const todo = isForbidden(error)
    ? `Allow get and create of configmaps in the namespace ${namespace}.`
    : isNotFound(error)
      ? 'Create the namespace, or set OKRA_LEASE_NAMESPACE.'
      : undefined;
  const said = todo === undefined ? message : `cannot get or create ${name}: ${message} ${todo}`;
  return new KubernetesError({ status, reason, message: said }, { cause: error });
}
