import { InvalidArgumentError, Option } from 'commander';
import type { OutputFormat } from './output.ts';
import type { Globals } from './shell.ts';
import type { Timeout } from './timeout.ts';

/** Values of one type, by their names. */
export type Of<Value, Name extends string> = Readonly<Record<Name, Value>>;
type Flags = 'all' | 'allNamespaces' | 'dryRun' | 'full' | 'offline' | 'open' | 'print' | 'untilSettled';
type Texts = 'for' | 'message' | 'of' | 'phase' | 'reason' | 'selector' | 'stage' | 'to' | 'ui' | 'until';
type Lists = 'args' | 'argsFromSecrets' | 'assume' | 'clusterTemplateName' | 'filename' | 'templateName';

/** What the options of commands come to, by their names: each means the same everywhere. */
export type OptionValues = Of<boolean, Flags | 'wait' | 'watch' | 'yes'> &
  Of<string, Texts> &
  Of<readonly string[], Lists> & {
    /** True without an account. */
    readonly okrad: string | true;
    readonly output: OutputFormat;
    readonly port: number;
    /** From 1. */
    readonly step: number;
    readonly timeout: Timeout;
  };

/** The options of a command of okractl, with those of every command; some have a value in any case. */
export type Options<Must extends keyof OptionValues = never> = Globals &
  Partial<OptionValues> &
  Pick<OptionValues, Must>;

export const numberOption = (flags: string, description: string, most = 999_999_999): Option =>
  new Option(flags, description).argParser((text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
  });
