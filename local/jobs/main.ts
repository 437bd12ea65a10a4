import { parseArgs } from 'node:util';
import { POD } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import { stopOnSignals } from '../program.ts';
import type { Pod } from './pod.ts';
import { jobRunner } from './runner.ts';

// Runs the commands of the pods of Okra's Jobs: what kwok plays of a kubelet ends with a pod that runs.
const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } });
const kubernetes = connectKubernetes(values.kubeconfig);
const log = createLog('info');
const runner = jobRunner(kubernetes, log);

await runInformer<Pod>({
  kubernetes,
  kind: POD,
  labelSelector: CELL_LABEL,
  log,
  signal: stopOnSignals(),
  onSynced: () => log.info('running pods'),
  onEvent: ({ type, object }) => {
    const { uid, deletionTimestamp } = object.metadata;
    if (type === 'delete' || deletionTimestamp !== undefined) runner.remove(uid);
    else void runner.look(object);
  },
});
runner.stop();
