import { given } from '../../domain/model/fields.ts';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { sleep } from '../../clients/backoff.ts';
import { type Installation, installationIn } from '../../clients/kubernetes/installation.ts';
import type { Activities } from '../../activities/contract.ts';
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
  const { kubernetes, clusters, elbv2, eks, limits, config } = session;
  const { aws, datadog, taskQueue, temporal, driftIntervalSeconds, syncIntervalSeconds } = config;
  return makeActivities({
    kubernetes,
    watchNamespaces: config.kubernetes.watchNamespaces,
    clusters,
    elbv2,
    eks,
    limits,
    // It connects to nothing until it is asked for something.
    temporal: new Client({ connection: Connection.lazy({ address: temporal.address }) }),
    ...given({ region: aws.region }),
    datadog,
    cloudWatchEndpoint: aws.cloudWatchEndpoint,
    stsEndpoint: aws.stsEndpoint,
    installation,
    taskQueue,
    intervals: { drift: driftIntervalSeconds, sync: syncIntervalSeconds },
    graceSeconds: config.graceSeconds,
  });
}

/**
 * Runs a function of an activity outside of Temporal: it is its only attempt, its heartbeats go nowhere, and the signal
 * cancels it.
 */
export function asActivity<Value>(signal: AbortSignal, run: () => Promise<Value>): Promise<Value> {
  const context = {
    info: { attempt: 1, taskQueue: 'okra' },
    cancellationSignal: signal,
    sleep: (ms: number) => sleep(ms, signal),
    heartbeat: () => undefined,
  };
  // The context is a class that only a worker makes; these are the parts that the activities use.
  return asyncLocalStorage.run(context as unknown as Context, run);
}
