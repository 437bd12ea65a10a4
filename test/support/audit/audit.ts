import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What someone has asked the API server for. */
export interface AuditEvent {
  readonly verb: string;
  readonly user?: { readonly username?: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

const logIn = (dir: string): string => join(dir, 'audit.log');

/** Has the API server of a stack write down what service accounts ask for. */
export const auditArgs = (dir: string): readonly string[] => [
  `--audit-policy-file=${join(import.meta.dirname, 'policy.yaml')}`,
  `--audit-log-path=${logIn(dir)}`,
];

/** What a user has asked for so far, and was answered. */
export async function auditedOf(dir: string, username: string): Promise<readonly AuditEvent[]> {
  return (await readFile(logIn(dir), 'utf8'))
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line): AuditEvent => JSON.parse(line))
    .filter(({ user }) => user?.username === username);
}
