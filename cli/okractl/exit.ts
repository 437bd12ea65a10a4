import { inOneLine } from '../terminal-text.ts';

/** What the exit status of okractl says. */
export const exitCodes = {
  /** It was done, or what was asked for is shown. */
  done: 0,
  /** Something did not answer, is not there, or went wrong. */
  failure: 1,
  /** What was looked at has problems, or the command line has. */
  problems: 2,
  /** The request makes no sense as things stand, or Kubernetes does not allow it. */
  refused: 3,
} as const;

/** An exit status of okractl. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What a command ends with instead of doing what it was asked to. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Says that a request makes no sense as things stand. */
export const refused = (message: string): CommandError =>
  new CommandError(exitCodes.refused, inOneLine(message));

/** Says what is wrong with the command line. */
export const badUsage = (message: string): CommandError => new CommandError(exitCodes.problems, message);

/** Says that something is not there, or did not answer. */
export const failed = (message: string): CommandError =>
  new CommandError(exitCodes.failure, inOneLine(message));

/** The message and the exit status of what a command has thrown. */
export function endingOf(error: unknown): { readonly message: string; readonly code: ExitCode } {
  if (error instanceof CommandError) return { message: error.message, code: error.code };
  if (!(error instanceof Error)) return { message: inOneLine(String(error)), code: exitCodes.failure };
  if (error.name === 'ConfigError') return { message: error.message, code: exitCodes.problems };
  // What the API server does not allow.
  const isForbidden = error.name === 'KubernetesError' && Reflect.get(error, 'status') === 403;
  return { message: inOneLine(error.message), code: isForbidden ? exitCodes.refused : exitCodes.failure };
}
