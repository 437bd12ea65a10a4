import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Stack } from '../stack.ts';

const run = promisify(execFile);

/** Requests to an API server, all and by verb and resource. */
export interface Requests {
  readonly all: number;
  readonly byKind: ReadonlyMap<string, number>;
}

// What others ask for continues as well: controllers, and the leases of all.
const counted: ReadonlySet<string> = new Set([
  'stagedbindingpolicies',
  'bindingpolicies',
  'bindings',
  'combinedstatuses',
  'statuscollectors',
  'freezes',
  'cells',
]);

/** Begins to count the requests that a StagedBindingPolicy takes; those of others are said when it ends. */
export async function requestsTo(
  stack: Stack,
): Promise<{ since(others: ReadonlyMap<string, number>): Promise<Requests> }> {
  const before = await read(stack);
  return {
    since: async (others) => {
      const after = await read(stack);
      const own = [...after]
        .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0) - (others.get(kind) ?? 0)] as const)
        .filter(([, count]) => count > 0);
      return { all: own.reduce((sum, [, count]) => sum + count, 0), byKind: new Map(own) };
    },
  };
}

const read = (stack: Stack): Promise<ReadonlyMap<string, number>> => requestsAbout(stack, counted);

/** How many requests an API server had about some resources, by verb and resource; watches are not counted. */
export async function requestsAbout(
  { binaries, kubeconfig }: Stack,
  resources: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const { kubectl = 'kubectl' } = binaries;
  const { stdout } = await run(kubectl, ['--kubeconfig', kubeconfig, 'get', '--raw', '/metrics'], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const found = new Map<string, number>();
  for (const [labels, value] of requestLines(stdout)) {
    const { verb = '', resource = '', subresource = '' } = labels;
    if (!resources.has(resource) || verb === 'WATCH') continue;
    const key = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
    found.set(key, (found.get(key) ?? 0) + value);
  }
  return found;
}

/** The counters of requests in what an API server says of itself. */
export function requestLines(text: string): readonly (readonly [Readonly<Record<string, string>>, number])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{'))
    .map((line) => {
      const labels = [...line.matchAll(/([a-z_]+)="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value] as const,
      );
      return [Object.fromEntries(labels), Number(line.slice(line.lastIndexOf(' ') + 1))] as const;
    });
}
