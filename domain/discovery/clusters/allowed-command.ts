import { isLike } from '../../access/access.ts';
import type { CommandLogin } from './cluster-secret.ts';

/** A command that may be run, as written: variables, the command, its arguments (`AWS_PROFILE=team-* aws eks get-token --cluster-name *`). */
interface Allowed {
  readonly variables: readonly string[];
  readonly command: string;
  readonly args: readonly string[];
}

// What says where and as whom to log in. Others could make the command run another, or have it send what okrad alone may read to someone else: names of files and of hosts.
const HARMLESS: ReadonlySet<string> = new Set([
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_STS_REGIONAL_ENDPOINTS',
  'AAD_SERVICE_PRINCIPAL_CLIENT_ID',
  'AAD_SERVICE_PRINCIPAL_CLIENT_SECRET',
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
  'AZURE_TENANT_ID',
  'AZURE_SUBSCRIPTION_ID',
]);

/** Says why a command is not run; undefined when it may be. It holds no value out of the secret. */
export function commandRefusalOf(login: CommandLogin, list: readonly string[]): string | undefined {
  const named = list.map(parse).filter(({ command }) => command === login.command);
  const [first] = named;
  if (first === undefined) {
    const listed = list.length === 0 ? 'which is empty' : `which lists ${list.join(', ')}`;
    return `execProviderConfig.command is not in OKRA_EXEC_COMMANDS, ${listed}. Add the command there, or log in another way.`;
  }
  const fitting = named.filter(({ args }) => areAllowed(login.args, args));
  if (fitting.length === 0) {
    const listed = named.map(({ args }) => (args.length === 0 ? 'none' : args.join(' '))).join(', or ');
    return `execProviderConfig.args must match OKRA_EXEC_COMMANDS, which allows for ${first.command}: ${listed}. Add them there; * matches anything within one argument.`;
  }
  const environment = Object.entries(login.environment);
  if (fitting.some(({ variables }) => environment.every((one) => mayBeSet(one, variables)))) return undefined;
  return `execProviderConfig.env may set only ${[...HARMLESS].join(', ')}, and the variables that OKRA_EXEC_COMMANDS lists before ${first.command}. Set others where Okra runs, or list them there as NAME=*.`;
}

function parse(text: string): Allowed {
  const words = text.split(' ').filter((word) => word !== '');
  const at = words.findIndex((word) => !word.includes('='));
  return { variables: words.slice(0, at), command: words[at] ?? '', args: words.slice(at + 1) };
}

const ANY_MORE = '**';

function areAllowed(args: readonly string[], patterns: readonly string[]): boolean {
  const isOpen = patterns.at(-1) === ANY_MORE;
  const each = isOpen ? patterns.slice(0, -1) : patterns;
  if (isOpen ? args.length < each.length : args.length !== each.length) return false;
  return each.every((pattern, i) => isArgument(args[i] ?? '', pattern));
}

// What is to be a name must not become an option.
const isArgument = (argument: string, pattern: string): boolean =>
  (!argument.startsWith('-') || pattern.startsWith('-')) && isLike(argument, pattern);

const mayBeSet = ([name, value]: readonly [string, string], variables: readonly string[]): boolean =>
  HARMLESS.has(name) || variables.some((pattern) => isLike(`${name}=${value}`, pattern));
