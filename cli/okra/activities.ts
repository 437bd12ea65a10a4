import type { Activities } from '../../activities/contract.ts';
import { installationIn, type Installation } from '../../clients/kubernetes/installation.ts';
import type { OkraSession } from './shell.ts';

/** Makes the activities that workers have, of a session; they are run by `asActivity`. */
export async function activitiesOf(
  session: OkraSession,
  installation: Installation = installationIn({
    kubernetes: session.kubernetes,
    namespace: session.config.lease.namespace,
  }),
): Promise<Activities> {
  // What they are made of takes a while to load, and many commands do not need it.
  const [{ makeActivities }, { Client, Connection }] = await Promise.all([
    import('../../activities/index.ts'),
    import('@temporalio/client'),
  ]);
  const { kubernetes, clusters, elbv2, eks, budgets, config } = session;
  const { aws, datadog, taskQueue, temporal, driftIntervalSeconds, syncIntervalSeconds } = config;
  return makeActivities({
    kubernetes,
    watchNamespaces: config.kubernetes.watchNamespaces,
    clusters,
    elbv2,
    eks,
    budgets,
    // It connects to nothing until it is asked for something.
    temporal: new Client({ connection: Connection.lazy({ address: temporal.address }) }),
    ...(aws.region === undefined ? {} : { region: aws.region }),
    datadog,
    cloudWatchEndpoint: aws.cloudWatchEndpoint,
    stsEndpoint: aws.stsEndpoint,
    installation,
    taskQueue,
    intervals: { drift: driftIntervalSeconds, sync: syncIntervalSeconds },
    graceSeconds: config.graceSeconds,
  });
}
