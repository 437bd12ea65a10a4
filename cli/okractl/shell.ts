import type { Person } from '../../clients/kubernetes/person.ts';
import type { Operator } from '../../clients/temporal/operator.ts';
import type { TemporalConfig } from '../../config/config.ts';
import type { ExitCode } from './exit.ts';

/** The options that every command has. */
export interface Globals {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
}

/** A terminal that can be drawn on. */
export interface Screen {
  readonly columns: () => number;
  readonly rows: () => number;
}

/** What a command does its work with, as its options say. */
export interface Session extends Person {
  readonly temporal: TemporalConfig;
  readonly taskQueue: string;
  /** Where okrad has its Lease. */
  readonly leaseNamespace: string;
  /** The base URL of the Web UI of Temporal, where it is set. */
  readonly temporalUi: string | undefined;
  /** Connects to Temporal, which only some commands need. */
  readonly operator: () => Promise<Operator>;
}

/** What is around a command: where it writes, what it reads, and how it reaches the servers. */
export interface Shell {
  /** Writes lines to standard output. */
  readonly print: (text: string) => void;
  /** Writes lines to standard error. */
  readonly warn: (text: string) => void;
  /** Writes to standard output just so. */
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** Undefined when standard output is no terminal. */
  readonly screen: Screen | undefined;
  /** Given when the person interrupts the command. */
  readonly signal: AbortSignal;
  /** Reads a file, or with `-` standard input. */
  readonly read: (path: string) => Promise<string>;
  /** The files that a path means: itself, or those with manifests in a folder. */
  readonly filesAt: (path: string) => Promise<readonly string[]>;
  readonly session: (globals: Globals) => Session;
  /** Sets the exit status. */
  readonly exitWith: (code: ExitCode) => void;
  /** Has the desktop open an address. */
  readonly browse: (url: string) => void;
}
