import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { waitFor } from './wait.ts';

/** The address of the stack's API server and what its administrator needs. */
export interface KubernetesAccess {
  readonly url: string;
  readonly caFile: string;
  readonly kubeconfig: string;
  readonly token: string;
}

/** One call to the API server. */
export interface KubernetesCall {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** How long it may take, in milliseconds. */
  readonly limitMs?: number;
}

/** Writes the keys that sign service accounts' tokens, and the token file with the stack's one administrator. */
export async function writeCredentials(dir: string): Promise<{ readonly token: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const token = randomBytes(16).toString('hex');
  const secret = { mode: 0o600 };
  await Promise.all([
    writeFile(join(dir, 'service-account.key'), privateKey.export({ type: 'sec1', format: 'pem' }), secret),
    writeFile(join(dir, 'service-account.pub'), publicKey.export({ type: 'spki', format: 'pem' })),
    writeFile(join(dir, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, secret),
  ]);
  return { token };
}

/** Writes the kubeconfig once the API server has signed its own certificate. */
export async function writeKubeconfig({ url, caFile, kubeconfig, token }: KubernetesAccess): Promise<void> {
  const ca = await readFile(caFile);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'okra-local', cluster: { server: url, 'certificate-authority-data': ca.toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [
      { name: 'okra-local', context: { cluster: 'okra-local', user: 'admin', namespace: 'default' } },
    ],
    'current-context': 'okra-local',
  };
  await writeFile(kubeconfig, stringify(config), { mode: 0o600 });
}

/** A call that the API server has not answered in its time: whether it was done is not known. */
class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** How often an object is applied while no answer comes, each time for twice as long: a machine that is busy for minutes is no reason to give a stack up. */
const APPLY_ATTEMPTS = 5;

const CALL_MILLISECONDS = 10_000;

/** Calls the API server as administrator and answers the body; a refusal is an error with the server's own words. */
export async function callKubernetes(access: KubernetesAccess, call: KubernetesCall): Promise<string> {
  const ca = await readFile(access.caFile);
  const { method = 'GET', path, body, contentType = 'application/json', limitMs = CALL_MILLISECONDS } = call;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${access.token}`, 'content-type': contentType };
    // A connection of its own for each call: one that was kept would be found broken after a restart.
    const sent = request(
      new URL(path, access.url),
      { method, ca, headers, agent: false, timeout: limitMs },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('error', reject);
        reply.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          const status = reply.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(text);
          else reject(new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 500)}`));
        });
      },
    );
    sent.once('timeout', () =>
      sent.destroy(new UnansweredError(`${method} ${path} was not answered within ${limitMs / 1000} s`)),
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Applies an object server-side and answers it as kept. To apply it twice is to apply it once, so a call without an answer is repeated, for five minutes in all. */
export async function applyObject(
  access: KubernetesAccess,
  path: string,
  body: string,
  { limitMs = CALL_MILLISECONDS }: Pick<KubernetesCall, 'limitMs'> = {},
): Promise<string> {
  const call = {
    method: 'PATCH',
    path: `${path}?fieldManager=okra-local&force=true`,
    body,
    contentType: 'application/apply-patch+yaml',
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callKubernetes(access, { ...call, limitMs: limitMs * 2 ** (attempt - 1) });
    } catch (error) {
      if (!(error instanceof UnansweredError)) throw error;
      if (attempt === APPLY_ATTEMPTS)
        throw new Error(
          `${error.message}. Start again when the machine has less other work; what was built is kept.`,
          { cause: error },
        );
    }
  }
}

/** A CustomResourceDefinition as the API server keeps it. */
export interface Definition {
  readonly name: string;
  readonly plural: string;
  /** Where the API server says which kinds there are of its newest version. */
  readonly path: string;
}

/** Applies every CustomResourceDefinition file of a folder server-side, and answers what was kept. */
export async function applyDefinitions(access: KubernetesAccess, folder: string): Promise<Definition[]> {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file));
  return Promise.all(
    files.map(async (file) => {
      const body = await readFile(join(folder, file), 'utf8');
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${nameOfDefinition(file, body)}`;
      return definitionIn(await applyObject(access, path, body));
    }),
  );
}

/**
 * Waits until the API server serves definitions: its discovery names a kind once its definition is established. It tells
 * of all kinds of a group and version at once, so that each of these is asked for once, and not for each of its kinds.
 */
export async function untilServed(
  access: KubernetesAccess,
  definitions: readonly Definition[],
): Promise<void> {
  const byPath = Map.groupBy(definitions, ({ path }) => path);
  await Promise.all(
    [...byPath].map(([path, kinds]) => {
      const what = `${kinds.map(({ name }) => name).join(', ')} to be served`;
      return waitFor({ what }, () => areServed(access, path, kinds));
    }),
  );
}

async function areServed(
  access: KubernetesAccess,
  path: string,
  kinds: readonly Definition[],
): Promise<true | undefined> {
  const served = at(JSON.parse(await callKubernetes(access, { path })), 'resources');
  if (!Array.isArray(served)) return undefined;
  const names = new Set(served.map((entry) => at(entry, 'name')));
  return kinds.every(({ plural }) => names.has(plural)) ? true : undefined;
}

function definitionIn(answer: string): Definition {
  const kept: unknown = JSON.parse(answer);
  const spec = at(kept, 'spec');
  const versions = at(spec, 'versions');
  const version = Array.isArray(versions) ? at(versions.at(-1), 'name') : undefined;
  return {
    name: String(at(at(kept, 'metadata'), 'name')),
    plural: String(at(at(spec, 'names'), 'plural')),
    path: `/apis/${String(at(spec, 'group'))}/${String(version)}`,
  };
}

/** Finds the name in the text: to parse the half megabyte of a definition of Argo Rollouts takes longer than to apply it. */
function nameOfDefinition(file: string, text: string): string {
  const kind = /^kind: (.*)$/m.exec(text)?.[1];
  const name = /^metadata:\n(?: .*\n)*? {2}name: (\S+)$/m.exec(text)?.[1];
  if (kind === 'CustomResourceDefinition' && name !== undefined) return name;
  throw new Error(`Expected ${file} to hold one CustomResourceDefinition, got ${String(kind)}.`);
}

/** Reads a field of a parsed document; `undefined` when there is none. */
export function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(key) : undefined;
}
