import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { stringify } from 'yaml';

/** What was posted to a webhook. */
export interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A webhook that keeps what is posted to it. */
export interface WebhookServer extends AsyncDisposable {
  readonly url: string;
  readonly got: readonly Received[];
}

/** Starts a webhook that answers with each status in turn, and with 204 afterwards; one that is refused as 410 is repeated. */
export async function serveWebhook(...statuses: readonly number[]): Promise<WebhookServer> {
  const got: Received[] = [];
  const left = [...statuses];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      const status = left.shift() ?? 204;
      const repeated = `Cannot POST ${request.url} with ${request.headers.authorization}`;
      response.writeHead(status).end(status === 410 ? repeated : 'said');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`,
    got,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'okra-notifications-'));
let written = 0;
// Each file of tests that imports this has a folder of its own.
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes what `OKRA_NOTIFICATIONS` names, as it is or as YAML; answers with its path. */
export function writeNotifications(content: unknown): string {
  written += 1;
  const path = join(folder, `${written}.yaml`);
  writeFileSync(path, typeof content === 'string' ? content : stringify(content));
  return path;
}
