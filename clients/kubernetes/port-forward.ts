import { type Duplex, duplexPair, PassThrough } from 'node:stream';
import { type KubeConfig, PortForward } from '@kubernetes/client-node';

/** A port of a pod. */
export interface PodPort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Connects to a port of a pod through the API server and the kubelet, as `kubectl port-forward` does. */
export async function forwardPort(
  kubeconfig: KubeConfig,
  { namespace, name, port }: PodPort,
): Promise<Duplex> {
  const [near, far] = duplexPair();
  // It may end with an error before anyone listens, which is kept as `errored`; what ends near so ends far with it.
  for (const side of [near, far]) side.on('error', () => undefined);
  const errors = new PassThrough();
  errors.on('data', (said: Buffer) => {
    // Each channel begins with the number of the port, of which nothing is left.
    if (said.length > 0) near.destroy(new Error(said.toString('utf8')));
  });
  try {
    const forward = new PortForward(kubeconfig);
    const socket: Connection = await forward.portForward(namespace, name, [port], far, errors, far);
    socket.addEventListener('close', () => far.end());
    near.on('close', () => socket.close());
    return near;
  } catch (error) {
    // A WebSocket fails with an event.
    throw new Error(String(Reflect.get(Object(error), 'message') ?? error), { cause: error });
  }
}

/** The WebSocket of client-node, as far as it is used. */
interface Connection {
  addEventListener: (type: 'close', listener: () => void) => void;
  close: () => void;
}
