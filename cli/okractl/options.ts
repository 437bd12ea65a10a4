import type { OutputFormat } from './output.ts';
import type { Globals } from './shell.ts';
import type { Timeout } from './timeout.ts';

/** What the options of commands come to, by their names: each means the same everywhere. */
interface OptionValues {
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

/** The options of a command, with those of every command: which may be given, and which have a value in any case. */
export type Options<May extends keyof OptionValues, Must extends keyof OptionValues = never> = Globals &
  Partial<Pick<OptionValues, May>> &
  Pick<OptionValues, Must>;
