import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { applyAllTo } from '../applying/apply.ts';
import { awsIdentity } from '../components/aws.ts';
import { installDefinitions } from '../install-definitions.ts';
import { startOkrad } from '../okrad.ts';
import { readRecord, type RunningStack } from '../stack-record.ts';
import { startStack } from '../stack.ts';
import { componentsOf, type Wish } from './arguments.mjs';

/** How a demo talks to those who look on, and when it is to end. */
export interface Audience {
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What a demo is shown on: a stack of its own, or a namespace of one that runs. */
export interface Ground extends Audience, AsyncDisposable {
  readonly stack: RunningStack;
  readonly kubernetes: KubernetesClient;
  readonly namespace: string;
  /** A name that nothing else has, in AWS and among the clusters of the stack. */
  readonly unique: (name: string) => string;
  /** Applies an object, or a List of them, in the namespace. */
  readonly apply: (object: object) => Promise<void>;
  /** Starts the okrad of the demo, with what is set for it alone. */
  readonly startOkrad: (environment?: Readonly<Record<string, string>>) => AsyncDisposable;
  /** Says what differs from what the demo says, stays if that is wished for, and answers with the exit status. */
  readonly conclude: (differences: readonly string[], what: string) => Promise<number>;
}

const record = fileURLToPath(new URL('../../.local/stack.json', import.meta.url));

/** Starts what a demo is shown on, or finds it. */
export async function openGround(wish: Wish, audience: Audience): Promise<Ground> {
  const { say, signal } = audience;
  if (wish.onStack) {
    const stack = await readRecord(process.env['OKRA_STACK'] ?? record);
    const namespace = `demo-${Date.now().toString(36)}`;
    await createNamespace(stack, namespace);
    say(`In namespace ${namespace} of the stack that runs; what is made there stays.`);
    return groundOn(stack, { wish, audience, namespace });
  }
  say(`Starting ${componentsOf(wish).join(', ')} …`);
  await using undo = new AsyncDisposableStack();
  const stack = undo.use(await startStack({ components: componentsOf(wish), log: say, signal }));
  await installDefinitions(stack);
  // The Cell of the applications is where the cluster secrets of Argo CD are.
  const namespace = wish.applications ? 'argocd' : 'default';
  if (wish.applications) await createNamespace(stack, namespace);
  const ground = groundOn(stack, { wish, audience, namespace });
  const end = undo.move();
  return { ...ground, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

const createNamespace = ({ kubeconfig }: RunningStack, name: string): Promise<unknown> =>
  connectKubernetes(kubeconfig).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

interface Place {
  readonly wish: Wish;
  readonly audience: Audience;
  readonly namespace: string;
}

function groundOn(stack: RunningStack, { wish, audience, namespace }: Place): Ground {
  const { say, signal } = audience;
  const apply = applyAllTo(stack.kubeconfig);
  // One of several okrads on a stack looks after its own namespace alone.
  const settings = {
    OKRA_WATCH_NAMESPACE: namespace,
    OKRA_TASK_QUEUE: namespace,
    OKRA_LEASE_NAMESPACE: namespace,
  };
  return {
    ...audience,
    stack,
    kubernetes: connectKubernetes(stack.kubeconfig),
    namespace,
    unique: (name) => (wish.onStack ? `${namespace}-${name}` : name),
    apply: (object) => apply(object, namespace),
    startOkrad: (environment) =>
      startOkrad({
        // Where a demo has no AWS, okrad has no credentials of anyone's either.
        environment: {
          ...awsIdentity.environment,
          ...stack.environment,
          ...(wish.onStack ? settings : {}),
          ...environment,
        },
        log: join(stack.logs, `okrad${wish.onStack ? `-${namespace}` : ''}.log`),
      }),
    async conclude(differences, what) {
      say(verdictOn(differences, what));
      if (wish.keep) {
        say('\nEverything keeps running. Ctrl-C stops it.');
        await wait(2 ** 31 - 1, undefined, { signal }).catch(() => undefined);
      }
      return differences.length === 0 ? 0 : 1;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const verdictOn = (differences: readonly string[], what: string): string =>
  differences.length === 0
    ? `\nEverything went as expected: ${what}.`
    : ['', 'Something differs from what this demo says:', ...differences.map((one) => `  - ${one}`)].join(
        '\n',
      );
