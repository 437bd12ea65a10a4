import { POD } from '../../clients/kubernetes/kinds.ts';
import { isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Log } from '../../clients/log.ts';
import { runPod, statusOf, type Ended, type Pod, type RunningPod } from './pod.ts';

/** What tells a pod whose command was started, when this process does not know of it, from one that is to be started. */
export const STARTED_ANNOTATION = 'okra.mumo.co/local-started';

/** The status of a command that ended with the process that had started it, as a kubelet gives it for SIGKILL. */
const LOST = 137;

/** Runs the commands of pods, each once. */
export interface JobRunner {
  /** Takes up a pod as it is now; it is over when its command is. */
  readonly look: (pod: Pod) => Promise<void>;
  readonly remove: (uid: string) => void;
  readonly stop: () => void;
}

/** Makes what runs commands, and says in the pods what they came to. */
export function jobRunner(kubernetes: Pick<KubernetesClient, 'patch'>, log: Log): JobRunner {
  const known = new Map<string, RunningPod>();

  async function report(pod: Pod, ended: Ended, startedAt: Date): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    log.info({ namespace, name, exitCode: ended.exitCode }, 'command ended');
    try {
      const patch = { metadata: { uid }, status: statusOf(pod, ended, startedAt) };
      await kubernetes.patch(POD, { namespace, name }, patch, { subresource: 'status' });
    } catch (error) {
      // One that was deleted was stopped.
      if (!isNotFound(error)) log.error({ namespace, name, err: error }, 'status not written');
    }
  }

  async function start(pod: Pod): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const startedAt = new Date();
    let stopped = false;
    known.set(uid, { ended: Promise.resolve({ exitCode: LOST, message: '' }), stop: () => (stopped = true) });
    const annotations = { [STARTED_ANNOTATION]: startedAt.toISOString() };
    try {
      await kubernetes.patch(POD, { namespace, name }, { metadata: { uid, annotations } });
    } catch (error) {
      if (isNotFound(error)) return;
      // It is taken up again with the next event, since nothing was started.
      known.delete(uid);
      return log.error({ namespace, name, err: error }, 'start not written');
    }
    if (stopped) return;
    const running = runPod(pod);
    known.set(uid, running);
    await report(pod, await running.ended, startedAt);
  }

  async function look(pod: Pod): Promise<void> {
    const { uid, annotations = {} } = pod.metadata;
    if (pod.status?.phase !== 'Running' || known.has(uid)) return;
    const startedAt = annotations[STARTED_ANNOTATION];
    if (startedAt === undefined) return start(pod);
    const message = 'The process that ran this command has ended before it; nobody knows how far it came.';
    await report(pod, { exitCode: LOST, message }, new Date(startedAt));
  }

  return {
    look,
    remove: (uid) => known.get(uid)?.stop(),
    stop: () => known.forEach((running) => running.stop()),
  };
}
