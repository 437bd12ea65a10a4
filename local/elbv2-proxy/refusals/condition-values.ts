import { isIP } from 'node:net';
import { type Fields, fieldsOf, items, text, texts } from '../protocol/fields.ts';

/** The kinds of rule conditions, the name of the configuration of each, and whether a rule may have only one. */
export const conditionKinds: Readonly<Record<string, { readonly config: string; readonly once: boolean }>> = {
  'host-header': { config: 'HostHeaderConfig', once: true },
  'path-pattern': { config: 'PathPatternConfig', once: true },
  'http-request-method': { config: 'HttpRequestMethodConfig', once: true },
  'source-ip': { config: 'SourceIpConfig', once: true },
  'http-header': { config: 'HttpHeaderConfig', once: false },
  'query-string': { config: 'QueryStringConfig', once: false },
};

/** Reads the configuration of a condition that belongs to its kind. */
export const configOf = (condition: Fields): Fields =>
  fieldsOf(condition, conditionKinds[text(condition, 'Field') ?? '']?.config ?? '');

/** Lists the regular expressions of a condition. */
const regexesOf = (condition: Fields): readonly string[] => [
  ...texts(condition, 'RegexValues'),
  ...texts(configOf(condition), 'RegexValues'),
];

/** Whether a condition has both values and regular expressions. */
export const isMixed = (condition: Fields): boolean =>
  regexesOf(condition).length > 0 && valuesOf(condition).length > regexesOf(condition).length;

/** Lists the values of a condition, whichever of its forms it has. */
export function valuesOf(condition: Fields): readonly string[] {
  const config = configOf(condition);
  const pairs = items(config, 'Values').map(
    (pair) => `${text(pair, 'Key') ?? ''}=${text(pair, 'Value') ?? ''}`,
  );
  const address = text(config, 'IpAddressType');
  return [
    ...texts(condition, 'Values'),
    ...texts(config, 'Values'),
    ...regexesOf(condition),
    ...pairs,
    ...(address === undefined ? [] : [address]),
  ];
}

/** Counts the wildcards of a condition; an escaped one of a query string is an ordinary character, and so are all in regular expressions. */
export function wildcardsOf(condition: Fields): number {
  if (
    !['host-header', 'path-pattern', 'http-header', 'query-string'].includes(text(condition, 'Field') ?? '')
  )
    return 0;
  if (regexesOf(condition).length > 0) return 0;
  return valuesOf(condition).reduce(
    (sum, value) => sum + (value.replaceAll(/\\[*?]/g, '').match(/[*?]/g) ?? []).length,
    0,
  );
}

type Judge = (value: string) => string | undefined;

const tooLong = (value: string, limit: number): string | undefined =>
  value.length > limit ? `is too long; the limit is '${limit}'` : undefined;

const host: Judge = (value) => {
  if (!/^[A-Za-z0-9.*?-]+$/.test(value)) return 'may contain only A-Z, a-z, 0-9, "-", ".", "*" and "?"';
  if (!value.includes('.')) return 'must contain at least one "."';
  return /\.[A-Za-z]+$/.test(value) ? tooLong(value, 128) : 'may contain only letters after its last "."';
};

const path: Judge = (value) =>
  /^[A-Za-z0-9_.$/~"'@:+&*?-]+$/.test(value)
    ? tooLong(value, 128)
    : 'may contain only A-Z, a-z, 0-9 and _ - . $ / ~ " \' @ : + & * ?';

const method: Judge = (value) =>
  /^[A-Z_-]+$/.test(value) ? tooLong(value, 40) : 'may contain only A-Z, hyphen and underscore';

const cidr: Judge = (value) => {
  const [address = '', length = '', more] = value.split('/');
  const family = isIP(address);
  const isLength = /^\d{1,3}$/.test(length) && Number(length) <= (family === 6 ? 128 : 32);
  if (family === 0 || more !== undefined || !isLength) return 'must be an address range in CIDR notation';
  return value === '255.255.255.255/32' ? 'cannot be used' : undefined;
};

const short: Judge = (value) => tooLong(value, 128);

const judges: Readonly<Record<string, Judge>> = {
  'host-header': host,
  'path-pattern': path,
  'http-request-method': method,
  'source-ip': cidr,
  'http-header': short,
};

function judgeHeaderName(name: string): string | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
    return `The 'HttpHeaderName' value '${name}' is not a header name`;
  if (name.toLowerCase() === 'host')
    return "The 'host' header cannot be used with 'http-header'; use 'host-header'";
  const problem = tooLong(name, 40);
  return problem === undefined ? undefined : `The 'HttpHeaderName' value ${problem}`;
}

function judgePairs(config: Fields): string | undefined {
  for (const pair of items(config, 'Values')) {
    if ((text(pair, 'Value') ?? '') === '') return "A 'Value' must be specified in 'QueryStringKeyValuePair'";
    const problem = short(text(pair, 'Key') ?? '') ?? short(text(pair, 'Value') ?? '');
    if (problem !== undefined) return `The 'query-string' value ${problem}`;
  }
  return undefined;
}

function judgeRegexes(condition: Fields): string | undefined {
  const field = text(condition, 'Field') ?? '';
  const problem = regexesOf(condition)
    .map(short)
    .find((one) => one !== undefined);
  return problem === undefined ? undefined : `The '${field}' regular expression ${problem}`;
}

/** Judges the values of one condition: a sentence that says what is wrong, or nothing. */
export function judgeValues(condition: Fields): string | undefined {
  const field = text(condition, 'Field') ?? '';
  const config = configOf(condition);
  if (field === 'query-string') return judgePairs(config);
  if (field === 'http-header') {
    const problem = judgeHeaderName(text(config, 'HttpHeaderName') ?? '');
    if (problem !== undefined) return problem;
  }
  for (const value of [...texts(condition, 'Values'), ...texts(config, 'Values')]) {
    const problem = value === '' ? 'cannot be empty' : judges[field]?.(value);
    if (problem !== undefined) return `The '${field}' value '${value}' ${problem}`;
  }
  return judgeRegexes(condition);
}
