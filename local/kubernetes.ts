import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';

import { parse, stringify } from 'yaml';

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

/** Calls the API server as administrator and answers the body; a refusal is an error with the server's own words. */
export async function callKubernetes(access: KubernetesAccess, call: KubernetesCall): Promise<string> {
  const ca = await readFile(access.caFile);
  const { method = 'GET', path, body, contentType = 'application/json' } = call;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${access.token}`, 'content-type': contentType };
    // A connection of its own for each call: one that was kept would be found broken after a restart.
    const sent = request(
      new URL(path, access.url),
      { method, ca, headers, agent: false, timeout: 10_000 },
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
    sent.once('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered within 10 s`)));
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Applies every CustomResourceDefinition file of a folder server-side, and answers their names. */
export async function applyDefinitions(access: KubernetesAccess, folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file));
  return Promise.all(
    files.map(async (file) => {
      const body = await readFile(join(folder, file), 'utf8');
      const name = nameOfDefinition(file, parse(body));
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}?fieldManager=okra-local&force=true`;
      await callKubernetes(access, {
        method: 'PATCH',
        path,
        body,
        contentType: 'application/apply-patch+yaml',
      });
      return name;
    }),
  );
}

/** Tells whether the API server serves a definition: established, and found in the discovery of its group. */
export async function isServed(access: KubernetesAccess, name: string): Promise<true | undefined> {
  const definition: unknown = JSON.parse(
    await callKubernetes(access, { path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}` }),
  );
  const conditions = at(at(definition, 'status'), 'conditions');
  const established =
    Array.isArray(conditions) &&
    conditions.some((entry) => at(entry, 'type') === 'Established' && at(entry, 'status') === 'True');
  if (!established) return undefined;
  const [plural = '', ...group] = name.split('.');
  const versions = at(at(definition, 'spec'), 'versions');
  const version = Array.isArray(versions) ? at(versions.at(-1), 'name') : undefined;
  const path = `/apis/${group.join('.')}/${String(version)}`;
  const served = at(JSON.parse(await callKubernetes(access, { path })), 'resources');
  return Array.isArray(served) && served.some((entry) => at(entry, 'name') === plural) ? true : undefined;
}

function nameOfDefinition(file: string, document: unknown): string {
  const name = at(at(document, 'metadata'), 'name');
  if (at(document, 'kind') === 'CustomResourceDefinition' && typeof name === 'string') return name;
  throw new Error(
    `Expected ${file} to hold one CustomResourceDefinition, got ${String(at(document, 'kind'))}.`,
  );
}

/** Reads a field of a parsed document; `undefined` when there is none. */
export function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(key) : undefined;
}
