import { execFile } from 'node:child_process';
import type { CommandLogin } from '../domain/discovery/cluster-secret.ts';
import type { TokenSource } from './kubernetes-transport.ts';

/** How commands are run. */
export interface ExecOptions {
  readonly timeoutMilliseconds: number;
  readonly now?: () => number;
}

/** Says why a command gave no token; never with what it printed, which may be one. */
export class ExecError extends Error {
  override readonly name = 'ExecError';
}

// Others, `PATH` and `LD_PRELOAD` among them, could make an allowed command run another.
const HARMLESS =
  /^(AWS_(PROFILE|REGION|DEFAULT_REGION|STS_REGIONAL_ENDPOINTS)|AAD_[A-Z_]+|AZURE_[A-Z_]+|GOOGLE_APPLICATION_CREDENTIALS)$/;
const MARGIN_MILLISECONDS = 10_000;
// A token that does not say when it ends may have been withdrawn.
const KEEP_MILLISECONDS = 300_000;
const MAX_OUTPUT_BYTES = 1_000_000;

/** Says why a command is not run; undefined when it may be. */
export function refusalOf(login: CommandLogin, allowed: readonly string[]): string | undefined {
  if (!allowed.includes(login.command)) {
    const list = allowed.length === 0 ? 'which lists none' : `which lists ${allowed.join(', ')}`;
    return `Expected execProviderConfig.command to be one of OKRA_EXEC_COMMANDS, ${list}, got another. Add the command there, or log in by another way.`;
  }
  if (Object.keys(login.environment).every((name) => HARMLESS.test(name))) return undefined;
  return 'Expected execProviderConfig.env to set only AWS_PROFILE, AWS_REGION, AAD_… and the like, got another variable. Set it where Okra runs.';
}

/** Makes the source of the tokens that a command prints, as kubectl's exec plugins do; each is kept until it expires. */
export function execTokens(
  login: CommandLogin,
  { timeoutMilliseconds, now = Date.now }: ExecOptions,
): TokenSource {
  let kept: Promise<ExecToken> | undefined;
  const renew = (): Promise<ExecToken> => {
    const made = run(login, timeoutMilliseconds).then((output) => tokenIn(login.command, output, now()));
    kept = made;
    made.catch(() => {
      if (kept === made) kept = undefined;
    });
    return made;
  };
  return async (refused) => {
    const known = kept;
    if (known === undefined) return (await renew()).value;
    const { value, until } = await known;
    if (now() < until && value !== refused) return value;
    return (await (kept === undefined || kept === known ? renew() : kept)).value;
  };
}

interface ExecToken {
  readonly value: string;
  readonly until: number;
}

function run(login: CommandLogin, timeout: number): Promise<string> {
  const { command, args, environment, apiVersion } = login;
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const env = { ...process.env, ...environment, KUBERNETES_EXEC_INFO: info };
  return new Promise((resolve, reject) => {
    const options = { env, timeout, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    execFile(command, args, options, (error, output) => {
      if (error === null) resolve(output);
      else
        reject(new ExecError(`Expected ${command} to print an ExecCredential, got ${how(error, timeout)}.`));
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

function tokenIn(command: string, output: string, now: number): ExecToken {
  const { token, expirationTimestamp } = statusIn(output);
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ExecError(`Expected ${command} to print an ExecCredential with a token, got something else.`);
  }
  const ends = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return { value: token, until: Number.isNaN(ends) ? now + KEEP_MILLISECONDS : ends - MARGIN_MILLISECONDS };
}

function statusIn(output: string): { readonly token?: unknown; readonly expirationTimestamp?: unknown } {
  try {
    const parsed = JSON.parse(output) as { readonly status?: object } | null;
    return parsed?.status ?? {};
  } catch {
    return {};
  }
}
