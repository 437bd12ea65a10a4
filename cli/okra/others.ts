import type { CellStatus } from '../../crds/cell.ts';
import { isForbidden } from '../../clients/kubernetes/kubernetes.ts';
import { LEASE } from '../../clients/kubernetes/kinds.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { refused } from '../okractl/shell.ts';
import { BY_OKRA } from './kept-rollout.ts';
import type { OkraSession } from './shell.ts';

interface Lease {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/** Refuses to roll out a Cell that a workflow rolls out, or may begin to at any time. */
export async function refuseBesideOthers(
  { kubernetes, config: { lease } }: Pick<OkraSession, 'kubernetes' | 'config'>,
  { key, status }: { readonly key: ObjectKey; readonly status: CellStatus },
  now: number,
): Promise<void> {
  const { workflowId, runId } = status.rollout ?? {};
  if (workflowId !== undefined && workflowId !== BY_OKRA)
    throw refused(
      `Expected Cell ${formatKey(key)} to have no rollout of a workflow, got ${workflowId} (run ${runId}). Step in with okractl, or pass --force when that workflow is lost and does not go on.`,
    );
  const holder = await holderOf(kubernetes, lease, now);
  if (holder === undefined) return;
  throw refused(
    `Expected nobody else to roll out Cells, got okrad (${holder}), which holds Lease ${lease.namespace}/${lease.name}. Leave the Cell to it, or pass --force when it does not watch namespace ${key.namespace}. After an okrad was killed, its Lease counts for five more minutes.`,
  );
}

// The clocks of the pipeline and of okrad may differ; this is how far off AWS lets the clock of a signed request be.
const MAX_SKEW_MILLISECONDS = 300_000;

/** Who holds the Lease of okrad's watchers; who may not read it is not kept from anything by it. */
async function holderOf(
  kubernetes: OkraSession['kubernetes'],
  { namespace, name }: { readonly namespace: string; readonly name: string },
  now: number,
): Promise<string | undefined> {
  try {
    const { spec = {} } = (await kubernetes.get<Lease>(LEASE, { namespace, name })) ?? {};
    const { holderIdentity, leaseDurationSeconds = 0, renewTime = '' } = spec;
    const isHeld = Date.parse(renewTime) + leaseDurationSeconds * 1000 + MAX_SKEW_MILLISECONDS > now;
    return isHeld && holderIdentity !== '' ? (holderIdentity ?? undefined) : undefined;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
