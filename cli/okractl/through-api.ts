import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { readText } from '../../clients/bounded-request.ts';
import { untilGivenUp, withTimeLimit } from '../../clients/concurrency.ts';
import { POD } from '../../clients/kubernetes/kinds.ts';
import { isForbidden, KubernetesError } from '../../clients/kubernetes/kubernetes-error.ts';
import type { OwnPerson } from '../../clients/kubernetes/person.ts';
import type { PodPort } from '../../clients/kubernetes/port-forward.ts';
import { type Fields, fieldsIn, textIn } from '../../domain/model/fields.ts';
import { messageOf } from '../../domain/text.ts';
import { inOneLine } from '../terminal-text.ts';

/** The way to okrad through the API server: the dashboard in the cluster, by a port-forward and with the person's own token. */
export type ThroughApi = ReturnType<typeof throughApi>;

/** What the dashboard has answered. */
export interface Answered {
  readonly status: number;
  readonly message: string;
  readonly fields: Fields;
  /** The pod that has answered, with its namespace. */
  readonly pod: string;
}

const TIMEOUT_MILLISECONDS = 60_000;
const LONGEST_ANSWER = 65_536;
const WITHOUT = 'or set TEMPORAL_ADDRESS';

/** Makes the way to the dashboard in a namespace. */
export function throughApi(
  person: Pick<OwnPerson, 'kubernetes' | 'bearerToken' | 'forward' | 'namespace'>,
  namespace: string,
) {
  const { kubernetes, bearerToken, forward } = person;
  const grant = `Have the Role okra-forwarder bound to you in namespace ${namespace}, ${WITHOUT}.`;

  async function connected(pod: PodPort, signal: AbortSignal): Promise<Duplex> {
    try {
      return await untilGivenUp(forward(pod), signal);
    } catch (error) {
      const message = messageOf(error);
      const todo = message.endsWith(' 403')
        ? grant
        : `See whether kubectl -n ${namespace} port-forward pod/${pod.name} ${pod.port} works, ${WITHOUT}.`;
      throw new Error(`cannot connect to pod ${pod.name} through the API server: ${message}. ${todo}`, {
        cause: error,
      });
    }
  }

  return {
    namespace,
    /** Sends a request; without one, asks how the dashboard finds Temporal. */
    call: (body?: object): Promise<Answered> =>
      withTimeLimit({ milliseconds: TIMEOUT_MILLISECONDS }, async (signal) => {
        const token = await bearerToken();
        if (token === undefined) throw new Error(NO_TOKEN);
        const pod = await findPod(kubernetes, namespace).catch((error: unknown) => {
          if (!isForbidden(error)) throw error;
          const message = `cannot find the dashboard: ${messageOf(error)}. ${grant}`;
          throw new KubernetesError({ status: 403, reason: 'Forbidden', message });
        });
        const stream = await connected(pod, signal);
        try {
          const answer = await exchange(stream, {
            port: pod.port,
            token,
            body,
            namespace: person.namespace,
            signal,
          });
          return { ...answer, pod: `${namespace}/${pod.name}` };
        } catch (error) {
          const lost = `pod ${pod.name} did not answer: ${inOneLine(messageOf(error))}.`;
          const unsure =
            'The request may or may not have been accepted: see okractl describe and okractl check.';
          throw new Error(body === undefined ? lost : `${lost} ${unsure}`, { cause: error });
        } finally {
          stream.destroy();
        }
      }),
  };
}

const NO_TOKEN = `cannot send requests through the API server: the kubeconfig logs in without a token of yours (by a client certificate, or as another user), and the dashboard checks tokens. Use a login with a token, ${WITHOUT}.`;

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly containers: readonly {
      readonly name: string;
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
    }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function findPod(kubernetes: OwnPerson['kubernetes'], namespace: string): Promise<PodPort> {
  const labelSelector = 'app.kubernetes.io/component=dashboard';
  const pods = await kubernetes.list<Pod>(POD, { namespace, labelSelector });
  const found = pods.flatMap(({ metadata, spec, status }) => {
    // Dashboards of others have such a label too.
    const { ports = [] } = spec.containers.find((container) => container.name === 'okrad') ?? {};
    const port = ports.find((one) => one.name === 'page')?.containerPort;
    const isReady =
      metadata.deletionTimestamp === undefined &&
      (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
    return port === undefined ? [] : [{ namespace, name: metadata.name, port, isReady }];
  });
  const ready = found.find(({ isReady }) => isReady);
  if (ready !== undefined) return ready;
  const [unready] = found;
  throw new Error(
    unready === undefined
      ? `cannot reach okrad through the API server: no dashboard runs in namespace ${namespace}. Install it (helm upgrade --set dashboard.enabled=true,dashboard.login=true), name the namespace of Okra (--okra-namespace, OKRA_NAMESPACE), ${WITHOUT}.`
      : `cannot reach okrad through the API server: pod ${unready.name} of the dashboard in namespace ${namespace} is not ready. See kubectl -n ${namespace} describe pod ${unready.name}, ${WITHOUT}.`,
  );
}

interface Exchange {
  readonly port: number;
  readonly token: string;
  readonly body: object | undefined;
  /** Where the person looks at Cells. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Sends one HTTP request over a connection, as the page would, and reads its answer. */
async function exchange(stream: Duplex, { port, token, body, namespace, signal }: Exchange) {
  if (stream.errored !== null) throw stream.errored;
  const host = `127.0.0.1:${port}`;
  const sent = request({
    createConnection: () => stream,
    method: body === undefined ? 'GET' : 'POST',
    path: `/api/requests?namespace=${encodeURIComponent(namespace)}`,
    headers: {
      Host: host,
      Origin: `http://${host}`,
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'X-Okra-Dashboard': '1',
    },
    signal,
  });
  // What breaks after the answer is nobody's.
  sent.on('error', () => undefined);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = await readText(response, (size) => {
    if (size > LONGEST_ANSWER) throw new Error(`more than ${LONGEST_ANSWER} bytes`);
  });
  const fields = fieldsIn(JSON.parse(text));
  return { status: response.statusCode ?? 0, fields, message: inOneLine(textIn(fields['message']) ?? '') };
}
