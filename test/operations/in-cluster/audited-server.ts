import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { planApiServer } from '../../../local/components/control-plane.ts';
import type { KubernetesAccess } from '../../../local/kubernetes.ts';
import { reservePorts } from '../../../local/ports.ts';
import { supervise } from '../../../local/process.ts';
import { startReaper } from '../../../local/reaper.ts';
import type { StackView } from '../../support/setup.ts';

/** What someone has asked the API server for. */
export interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** A second API server over the objects of a stack, which writes down what one user asks for. */
export interface AuditedServer extends AsyncDisposable {
  readonly port: number;
  readonly caFile: string;
  /** What was asked for and answered so far. */
  events(): Promise<readonly AuditEvent[]>;
}

const policyFor = (user: string): object => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', users: [user] }, { level: 'None' }],
});

/** Starts it; `user` is the name of the user as the API server knows it. */
export async function startAuditedServer(stack: StackView, user: string): Promise<AuditedServer> {
  await using undo = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'okra-audited-'));
  undo.defer(() => rm(dir, { recursive: true, force: true }));
  const [ports, reaper] = [reservePorts(), startReaper(dir)];
  undo.defer(ports.release);
  undo.defer(reaper.close);
  const [policy, log] = [join(dir, 'policy.yaml'), join(dir, 'audit.log')];
  await writeFile(policy, stringify(policyFor(user)));
  const port = await ports.reserve();
  const caFile = join(stack.dir, 'certs', 'apiserver.crt');
  const [token = ''] = (await readFile(join(stack.dir, 'tokens.csv'), 'utf8')).split(',');
  const kubernetes: KubernetesAccess = {
    url: `https://127.0.0.1:${port}`,
    caFile,
    kubeconfig: join(dir, 'kubeconfig'),
    token,
  };
  const executable = (tool: string): string => stack.binaries[tool] ?? tool;
  const component = planApiServer(
    // The folder of the stack has the keys that sign the tokens of service accounts.
    { dir: stack.dir, components: [], kubernetes, executable, port: ports.reserve },
    { url: stack.etcd },
    {
      name: 'kube-apiserver-audited',
      prefix: '/management',
      args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    },
  );
  const logFile = (file: string): string => join(dir, `${file}.log`);
  const { start, stop } = supervise(component, { dir, logFile, reaper, log: () => undefined });
  undo.defer(stop);
  await start();
  const end = undo.move();
  const events = async (): Promise<readonly AuditEvent[]> =>
    (await readFile(log, 'utf8'))
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line): AuditEvent => JSON.parse(line));
  return { port, caFile, events, [Symbol.asyncDispose]: () => end.disposeAsync() };
}
