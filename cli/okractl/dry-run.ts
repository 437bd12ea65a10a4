import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { fieldsIn, type Fields } from '../../domain/model/shape.ts';
import { inOneLine } from '../terminal-text.ts';
import { identityOf, placeOf, type Manifest } from './manifests.ts';
import type { Globals, Session, Shell } from './shell.ts';

/** The option that contacts no cluster. */
export const OFFLINE = ['--offline', 'use only the manifests, and no cluster'] as const;

/** Which cluster is asked, if any. */
export interface DryRunOptions extends Globals {
  readonly offline?: boolean;
}

/** Asks the API server, where there is one, to apply manifests by dry run; answers what it refuses. */
export async function refusedByServer(
  shell: Shell,
  options: DryRunOptions,
  manifests: readonly Manifest[],
): Promise<readonly string[]> {
  const session = manifests.length === 0 ? undefined : sessionAtHand(shell, options);
  if (session === undefined) return [];
  const refused: string[] = [];
  for (const manifest of manifests) {
    try {
      await dryRun(shell, session, manifest.object);
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      const { status, message } = error;
      if (status === 400 || status === 422) {
        refused.push(`${placeOf(manifest)}: The API server refuses it: ${message}`);
        continue;
      }
      shell.warn(inOneLine(`${placeOf(manifest)}: not checked by the API server: ${message}`));
      if (status === 0) break;
    }
  }
  return refused;
}

/** Reaches the cluster of the kubeconfig; undefined where none is named and none is usual. */
function sessionAtHand(shell: Shell, options: DryRunOptions): Session | undefined {
  if (options.offline === true) return undefined;
  try {
    return shell.session(options);
  } catch (error) {
    if (options.kubeconfig !== undefined || options.context !== undefined) throw error;
    return undefined;
  }
}

async function dryRun({ signal }: Shell, session: Session, object: Fields): Promise<void> {
  const { apiVersion, kind, name } = identityOf(object);
  // What is exported from a cluster says who has written it, which no apply takes.
  const { managedFields: _told, ...metadata } = fieldsIn(object['metadata']);
  await session.kubernetes.apply(
    { ...object, apiVersion, kind, metadata: { namespace: session.namespace, ...metadata, name } },
    { dryRun: true, force: true, signal },
  );
}
