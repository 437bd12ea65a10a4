import { openKubeconfig, loadKubeconfig } from '../../clients/kubernetes/kubeconfig.ts';
import {
  makeCall,
  makeSend,
  type Call,
  heedRetryAfter,
} from '../../clients/kubernetes/kubernetes-transport.ts';
import { OWN_CLUSTER } from '../../clients/kubernetes/kubernetes-answer.ts';

const TIMEOUT_MILLISECONDS = 30_000;

/** Makes the caller of an API server for what the client has no options for; it comes back when it is asked to, as kubectl does. */
export function callTo(kubeconfig: string): Call {
  const send = makeSend(openKubeconfig(loadKubeconfig(kubeconfig)));
  const patient = heedRetryAfter(send, { longestMs: TIMEOUT_MILLISECONDS / 2 });
  return makeCall(patient, TIMEOUT_MILLISECONDS, OWN_CLUSTER);
}
