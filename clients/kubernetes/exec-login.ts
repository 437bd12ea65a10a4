import { execFile } from 'node:child_process';
import type { CommandLogin } from '../../domain/discovery/clusters/cluster-secret.ts';
import { LONGEST_TOKEN } from './cluster-secret.ts';
import { fieldsIn, given, type Fields } from '../../domain/model/fields.ts';
import { keepToken, limitConcurrency, type Token } from '../concurrency.ts';
import type { TokenSource } from './kubernetes-transport.ts';

interface ExecOptions {
  readonly timeoutMilliseconds: number;
  readonly environment?: readonly string[];
  readonly now?: () => number;
}

/** Says why a command gave no token; never with what it printed, which may be one. */
export class ExecError extends Error {
  override readonly name = 'ExecError';
}

const MARGIN_MILLISECONDS = 10_000;
// A token that does not say when it ends may have been withdrawn.
const KEEP_MILLISECONDS = 300_000;
const MAX_OUTPUT_BYTES = 1_000_000;

// What programs need to be found, to find their files, and to reach others. Nothing else of what okrad has been given is for a command that a secret
// names: no API key, no credentials, and not where the tokens of its service account lie.
const USUAL = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

// Each is a program that shares the memory of okrad's container, and after a start the commands of all clusters are due.
const inSlot = limitConcurrency(4);

/** Makes the source of the tokens that a command prints, as kubectl's exec plugins do; each is kept until it expires. */
export function makeExecTokens(
  login: CommandLogin,
  { timeoutMilliseconds, environment = [], now = Date.now }: ExecOptions,
): TokenSource {
  return keepToken(async () => {
    const output = await inSlot(() => run(login, passedOn([...USUAL, ...environment]), timeoutMilliseconds));
    return tokenIn(login.command, output, now());
  }, now);
}

const passedOn = (names: readonly string[]) =>
  given(Object.fromEntries(names.map((name) => [name, process.env[name]])));

function run(login: CommandLogin, passed: ReturnType<typeof passedOn>, timeout: number): Promise<string> {
  const { command, args, environment, apiVersion } = login;
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const env = { ...passed, ...environment, KUBERNETES_EXEC_INFO: info };
  return new Promise((resolve, reject) => {
    const options = { env, timeout, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    execFile(command, args, options, (error, output) => {
      if (error === null) resolve(output);
      else reject(new ExecError(`cannot get an ExecCredential from ${command}: ${how(error, timeout)}.`));
    });
  });
}

function how(
  error: { readonly code?: string | number | null | undefined; readonly killed?: boolean },
  timeout: number,
): string {
  if (error.killed === true) return `no end within ${timeout / 1000} s`;
  return typeof error.code === 'string' ? error.code : `exit status ${String(error.code)}`;
}

function tokenIn(command: string, output: string, now: number): Token {
  const { token, expirationTimestamp } = statusIn(output);
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ExecError(`invalid output of ${command}: must be an ExecCredential with a token.`);
  }
  const ends = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return { value: token, until: Number.isNaN(ends) ? now + KEEP_MILLISECONDS : ends - MARGIN_MILLISECONDS };
}

function statusIn(output: string): Fields {
  try {
    return fieldsIn(fieldsIn(JSON.parse(output))['status']);
  } catch {
    return {};
  }
}
