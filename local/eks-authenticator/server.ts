import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { awsIdentity } from '../components/aws.ts';
import { at } from '../kubernetes.ts';
import { checkToken, type KnownKey, type Verdict } from './token.ts';

/** The authenticator of one cluster, which its API server asks about tokens. */
export interface Authenticator {
  readonly url: string;
  /** What it answered so far, newest last. */
  readonly verdicts: readonly Verdict[];
  /** Takes tokens for another name as well, of a cluster that the same API server plays. */
  readonly alsoFor: (clusterName: string) => void;
  readonly close: () => Promise<void>;
}

/** Starts the authenticator of a cluster on a free port; it knows the emulator's one user, by this key, and the roles that were assumed there. */
export async function startAuthenticator(
  clusterName: string,
  moto: string,
  secretAccessKey: string = awsIdentity.environment.AWS_SECRET_ACCESS_KEY,
): Promise<Authenticator> {
  const verdicts: Verdict[] = [];
  const names = [clusterName];
  const keyOf = (id: string): Promise<KnownKey | undefined> => keyIn(moto, id, secretAccessKey);
  const review = async (request: IncomingMessage): Promise<object> => {
    const token = at(at(await json(request), 'spec'), 'token');
    const all = await Promise.all(
      names.map((name) => checkToken(String(token), { clusterName: name, now: Date.now(), keyOf })),
    );
    const verdict = all.find((one) => one.is === 'Accepted') ?? all[0] ?? NOBODYS;
    verdicts.push(verdict);
    return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status: statusOf(verdict) };
  };
  const server = createServer((request, response) => {
    review(request).then(
      (answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    verdicts,
    alsoFor: (name) => void names.push(name),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const NOBODYS: Verdict = { is: 'Refused', reason: 'Expected a cluster to have a name, got none.' };

function statusOf(verdict: Verdict): object {
  switch (verdict.is) {
    case 'Accepted':
      return { authenticated: true, user: { username: verdict.arn, groups: ['system:masters'] } };
    case 'Refused':
      return { authenticated: false, error: verdict.reason };
  }
}

async function keyIn(moto: string, id: string, secretAccessKey: string): Promise<KnownKey | undefined> {
  const { accountId, environment, okradKey } = awsIdentity;
  if (id === environment.AWS_ACCESS_KEY_ID || id === okradKey)
    return { secretAccessKey, arn: `arn:aws:iam::${accountId}:user/test` };
  const answer = await fetch(`${moto}/okra-local/roles/${encodeURIComponent(id)}`);
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`Expected the emulator to tell of ${id}, got ${answer.status}.`);
  return (await answer.json()) as KnownKey;
}
