import type { Person } from '../../clients/kubernetes/person.ts';
import type { Operator } from '../../clients/temporal/operator.ts';
import { inOneLine } from '../terminal-text.ts';
import type { TemporalConfig } from '../../config/config.ts';
import type { ThroughApi } from './through-api.ts';

export const YES = ['-y, --yes', 'do not ask for confirmation'] as const;

/** Asks before something that cannot be taken back; without a terminal to ask in, `--yes` has to be there. */
export async function mustConfirm(
  { confirm }: Pick<Shell, 'confirm'>,
  { command, question }: { readonly command: string; readonly question: string },
  yes = false,
): Promise<void> {
  if (yes) return;
  if (confirm === undefined)
    throw badUsage(`${command} asks for confirmation, and there is no terminal. Pass --yes to confirm.`);
  if (!(await confirm(question))) throw failed('Cancelled; nothing was changed.');
}

/** When phases are shown in colour: in a terminal that has colours and no NO_COLOR, always, or never. */
export const colourings = ['auto', 'always', 'never'] as const;

export type Colouring = (typeof colourings)[number];

export interface Globals {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
  readonly okraNamespace?: string;
  readonly color?: Colouring;
}

/** A terminal that can be drawn on. */
export interface Screen {
  readonly columns: () => number;
  readonly rows: () => number;
}

// What terminals have had for long.
const USUAL = { columns: 80, rows: 24 };

/** The terminal that a stream writes to, with a usual size where it does not know its own; undefined when it is none. */
export const screenOf = (
  stream: Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>>,
): Screen | undefined =>
  stream.isTTY === true
    ? {
        columns: () => stream.columns || USUAL.columns,
        rows: () => stream.rows || USUAL.rows,
      }
    : undefined;

/** What a command does its work with, as its options say. */
export interface Session extends Person {
  readonly temporal: TemporalConfig;
  readonly taskQueue: string;
  /** Where okrad has its Lease. */
  readonly leaseNamespace: string;
  /** The base URL of the Web UI of Temporal, where it is set. */
  readonly temporalUi: string | undefined;
  /** Where docs/ is published, where it is set. */
  readonly docsUrl: string | undefined;
  /** Connects to Temporal, which only some commands need. */
  readonly operator: () => Promise<Operator>;
  /** How okrad is reached where the address of Temporal is not given; undefined: by Temporal. */
  readonly throughApi?: ThroughApi | undefined;
}

/** What is around a command: where it writes, what it reads, and how it reaches the servers. */
export interface Shell {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  /** Writes to standard output just so. */
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** Undefined when standard output is no terminal. */
  readonly screen: Screen | undefined;
  /** Whether phases are shown in colour. */
  readonly isColoured: (when?: Colouring) => boolean;
  /** Given when the person interrupts the command. */
  readonly signal: AbortSignal;
  /** Reads a file, or with `-` standard input. */
  readonly read: (path: string) => Promise<string>;
  /** The files that a path means: itself, or those with manifests in a folder. */
  readonly filesAt: (path: string) => Promise<readonly string[]>;
  readonly session: (globals: Globals) => Session;
  readonly exitWith: (code: ExitCode) => void;
  /** Asks a question that is answered with yes or no; undefined where there is no terminal to ask in. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly browse: (url: string) => void;
}

/** What a command has in place of a terminal and a desktop, where there are none. */
export const withoutTerminal = {
  screen: undefined,
  isColoured: () => false,
  confirm: undefined,
  browse: () => undefined,
} as const satisfies Partial<Shell>;

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

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

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

export function endingOf(error: unknown): { readonly message: string; readonly code: ExitCode } {
  if (error instanceof CommandError) return { message: error.message, code: error.code };
  if (!(error instanceof Error)) return { message: inOneLine(String(error)), code: exitCodes.failure };
  if (error.name === 'ConfigError') return { message: error.message, code: exitCodes.problems };
  // What the API server does not allow.
  const isForbidden = error.name === 'KubernetesError' && Reflect.get(error, 'status') === 403;
  return { message: inOneLine(error.message), code: isForbidden ? exitCodes.refused : exitCodes.failure };
}
