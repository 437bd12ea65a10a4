import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import { connectKubernetes } from '../../../clients/kubernetes/kubernetes.ts';
import { auditedOf, type AuditEvent } from '../../support/audit/audit.ts';
import { Stage } from '../../support/stage/stage.ts';
import type { StackView } from '../../support/setup.ts';
import { installedAccess, installedPolicy, permissionsOf } from './access.ts';

const run = promisify(execFile);
const podFiles = new URL('pod-files.ts', import.meta.url).href;

/** A stage whose okrad runs as it does in a pod: with a service account and its token, and no kubeconfig. */
export interface Pod extends AsyncDisposable {
  readonly stage: Stage;
  /** The name of the service account, as the API server knows it. */
  readonly account: string;
  /** What the service account has asked for so far, and was answered. */
  readonly asked: () => Promise<readonly AuditEvent[]>;
  /** What the service account may do, as `verb group/resource`. */
  readonly allowed: ReadonlySet<string>;
  /** The token with which okrad was started, bound to the Secret `first`. */
  readonly firstToken: string;
  /** Puts a token in place, as the kubelet does, that is good as long as a Secret is there; gives the token. */
  mountToken(secret: string): Promise<string>;
  /** Ends the token that is bound to a Secret. */
  endToken(secret: string): Promise<void>;
  /** Says as whom the API server takes a token; throws when it does not. */
  whoIs(token: string): Promise<string>;
}

/** Opens it, with the access that an installation gives to okrad, in a namespace of its own. */
export async function openPod(stack: StackView): Promise<Pod> {
  const namespace = `okra-${process.pid}-${Date.now().toString(36)}`;
  const account = `system:serviceaccount:${namespace}:okra`;
  const env = { ...process.env, ...stack.environment };
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await run(stack.binaries.kubectl, ['-n', namespace, ...args], { env })).stdout;
  const admin = connectKubernetes(stack.kubeconfig);
  const [dir, access, policy] = await Promise.all([
    mkdtemp(join(tmpdir(), 'okra-pod-')),
    installedAccess(namespace),
    installedPolicy(namespace),
    kubectl('create', 'namespace', namespace),
  ]);
  await writeFile(
    join(dir, 'access.json'),
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...access, ...policy] }),
  );
  await kubectl('apply', '-f', join(dir, 'access.json'));
  const tokens: string[] = [];
  const mountToken = async (secret: string): Promise<string> => {
    await kubectl('create', 'secret', 'generic', secret);
    const bound = ['--bound-object-kind=Secret', `--bound-object-name=${secret}`, '--duration=1h'];
    const token = (await kubectl('create', 'token', 'okra', ...bound)).trim();
    await writeFile(join(dir, 'token'), token);
    tokens.push(token);
    return token;
  };
  const { url, caFile } = stack.kubernetes;
  const { hostname, port } = new URL(url);
  await copyFile(caFile, join(dir, 'ca.crt'));
  const firstToken = await mountToken('first');
  const environment = {
    KUBECONFIG: '',
    // There is no ~/.kube/config.
    HOME: dir,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    NODE_OPTIONS: `--import=${podFiles}`,
    POD_SERVICE_ACCOUNT: dir,
    POD_NAMESPACE: namespace,
    OKRA_LEASE_NAMESPACE: '',
  };
  // As the chart binds its roles with `watchNamespaces`.
  const bind = (watched: string, role: string): Promise<string> => {
    const to = [`--clusterrole=${namespace}-${role}`, `--serviceaccount=${namespace}:okra`];
    return kubectl('-n', watched, 'create', 'rolebinding', `${role}-watched`, ...to);
  };
  const prepare = (watched: string): Promise<unknown> =>
    Promise.all([bind(watched, 'okra'), bind(watched, 'okra-clusters-edit')]);
  const stage = await Stage.open(stack, environment, { prepare });
  return {
    stage,
    account,
    asked: () => auditedOf(stack.dir, account),
    allowed: permissionsOf(access),
    firstToken,
    mountToken,
    endToken: (secret) => admin.delete(SECRET, { namespace, name: secret }),
    whoIs: (token) =>
      kubectl(
        'auth',
        'whoami',
        '--kubeconfig=/dev/null',
        `--server=${url}`,
        `--certificate-authority=${caFile}`,
        `--token=${token}`,
      ),
    [Symbol.asyncDispose]: async () => {
      stage.secrets.push(...tokens);
      await stage.close();
      await kubectl('delete', '-f', join(dir, 'access.json'), '--wait=false');
      await rm(dir, { recursive: true });
    },
  };
}
