import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import semver from 'semver';

/** The version of a worker, in the deployment that all versions of it make up. */
export interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** What of a server has to be known. */
type Asked = {
  readonly workflowService: Pick<NativeConnection['workflowService'], 'getSystemInfo'>;
};

/** The first server that lets a run go on as new on another version than its own. */
const UPGRADES_RUNS = '1.30.2';

/** What a worker needs to be one version of a deployment; nothing when it is none. */
export async function versioned(
  version: WorkerVersion | undefined,
  connection: Asked,
): Promise<Pick<WorkerOptions, 'workerDeploymentOptions'>> {
  if (version === undefined) return {};
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const defaultVersioningBehavior = upgradesRuns(serverVersion) ? 'PINNED' : 'AUTO_UPGRADE';
  return { workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior } };
}

/**
 * Whether runs may stay on the version on which they began. On an older server those that live as long as their object
 * would never leave it, so they are moved as they stand, and replayed, as without versions.
 */
export const upgradesRuns = (serverVersion: string | null | undefined): boolean => {
  const known = semver.coerce(serverVersion);
  return known !== null && semver.gte(known, UPGRADES_RUNS);
};
