import { parseArgs } from 'node:util';
import { POD } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, isNotFound } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import { stopOnSignals } from '../program.ts';
import { runPod, statusOf, type Pod, type RunningPod } from './pod.ts';

// Runs the commands of the pods of Okra's Jobs: what kwok plays of a kubelet ends with a pod that runs.
const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } });
const kubernetes = connectKubernetes(values.kubeconfig);
const log = createLog('info');
const signal = stopOnSignals();
const known = new Map<string, RunningPod>();

async function run(pod: Pod): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const startedAt = new Date();
  const running = runPod(pod);
  known.set(uid, running);
  const ended = await running.ended;
  log.info({ namespace, name, exitCode: ended.exitCode }, 'command ended');
  try {
    const patch = { metadata: { uid }, status: statusOf(pod, ended, startedAt) };
    await kubernetes.patch(POD, { namespace, name }, patch, { subresource: 'status' });
  } catch (error) {
    // One that was deleted was stopped.
    if (!isNotFound(error)) log.error({ namespace, name, err: error }, 'status not written');
  }
}

await runInformer<Pod>({
  kubernetes,
  kind: POD,
  labelSelector: CELL_LABEL,
  log,
  signal,
  onSynced: () => log.info('running pods'),
  onEvent: ({ type, object }) => {
    const { uid, deletionTimestamp } = object.metadata;
    if (type === 'delete' || deletionTimestamp !== undefined) known.get(uid)?.stop();
    else if (object.status?.phase === 'Running' && !known.has(uid)) void run(object);
  },
});
for (const running of known.values()) running.stop();
