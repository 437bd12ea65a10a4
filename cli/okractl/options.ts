import type { OutputFormat } from './output.ts';
import type { Globals } from './shell.ts';
import type { Timeout } from './timeout.ts';

/** What the options of commands come to, by their names: each means the same everywhere. */
export interface OptionValues {
  readonly all: boolean;
  readonly allNamespaces: boolean;
  readonly args: readonly string[];
  readonly argsFromSecrets: readonly string[];
  readonly assume: readonly string[];
  readonly clusterTemplateName: readonly string[];
  readonly dryRun: boolean;
  readonly filename: readonly string[];
  readonly for: string;
  readonly full: boolean;
  readonly message: string;
  readonly of: string;
  readonly offline: boolean;
  /** True without an account. */
  readonly okrad: string | true;
  readonly open: boolean;
  readonly output: OutputFormat;
  readonly phase: string;
  readonly port: number;
  readonly print: boolean;
  readonly reason: string;
  readonly selector: string;
  readonly stage: string;
  /** From 1. */
  readonly step: number;
  readonly templateName: readonly string[];
  readonly timeout: Timeout;
  readonly to: string;
  readonly ui: string;
  readonly until: string;
  readonly untilSettled: boolean;
  readonly wait: boolean;
  readonly yes: boolean;
}

/** Those of the options that may be given, and those that have a value in any case. */
export type Chosen<Values, May extends keyof Values, Must extends keyof Values> = Partial<Pick<Values, May>> &
  Pick<Values, Must>;

/** The options of a command of okractl, with those of every command. */
export type Options<May extends keyof OptionValues, Must extends keyof OptionValues = never> = Globals &
  Chosen<OptionValues, May, Must>;
