import { compareText } from '../kubernetes/canonical.ts';

/** What the queries of a check may say of one target group, and of its cluster. */
export interface CheckVariables {
  readonly clusterName: string;
  readonly targetGroupARN: string;
  readonly listenerARN: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined when nobody knows them. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** A text with its variables filled in, or why that is not possible. */
export type Rendered =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

type Source = (of: CheckVariables) => string;

const plain: Readonly<Record<string, Source>> = {
  clusterName: ({ clusterName }) => clusterName,
  eksClusterName: ({ clusterName }) => clusterName,
  albListenerARN: ({ listenerARN }) => listenerARN,
  targetGroupARN: ({ targetGroupARN }) => targetGroupARN,
  targetGroupFullName: ({ targetGroupARN }) => targetGroupFullName(targetGroupARN),
  loadBalancerFullName: ({ listenerARN }) => loadBalancerFullName(listenerARN),
  version: ({ version }) => version,
};

const PREFIX = '.Vars.';
const names = Object.keys(plain);
const KNOWN = `${names.join(', ')}, labels.KEY and tags.KEY`;

/** What CloudWatch calls a target group: `targetgroup/NAME/ID`. */
export const targetGroupFullName = (arn: string): string => arn.split(':').slice(5).join(':');

/** What CloudWatch calls the load balancer of a listener: `app/NAME/ID` or `net/NAME/ID`. */
export const loadBalancerFullName = (listenerARN: string): string =>
  listenerARN.split(':').slice(5).join(':').split('/').slice(1, 4).join('/');

/** Fills in the variables of a query: `{{.Vars.clusterName}}`. */
export function renderQuery(template: string, variables: CheckVariables): Rendered {
  const parts: string[] = [];
  for (let rest = template; ;) {
    const begin = openingIn(rest);
    if (begin < 0) return { ok: true, value: [...parts, rest].join('') };
    const end = rest.indexOf('}}', begin);
    if (end < 0) return refuse(`Expected }} after {{ in ${quote(template)}, got none. Close the variable.`);
    const found = valueOf(rest.slice(begin + 2, end).trim(), variables);
    if (!found.ok) return found;
    parts.push(rest.slice(0, begin), found.value);
    rest = rest.slice(end + 2);
  }
}

/** Where a variable begins: Datadog puts a scope in braces of its own, as in `avg:errors{{{.Vars.labels.scope}}}`. */
function openingIn(text: string): number {
  let begin = text.indexOf('{{');
  while (begin >= 0 && text[begin + 2] === '{') begin += 1;
  return begin;
}

function valueOf(variable: string, variables: CheckVariables): Rendered {
  if (!variable.startsWith(PREFIX))
    return unknown(variable, nearest(variable.replace(/^\.?(vars?\.)?/i, '')));
  const name = variable.slice(PREFIX.length);
  const source = Object.hasOwn(plain, name) ? plain[name] : undefined;
  if (source !== undefined) return known(name, source(variables), variables);
  const [map = '', ...key] = name.split('.');
  if (map === 'labels') return ofMap('label', key.join('.'), variables.labels, variables);
  if (map === 'tags') return ofMap('tag', key.join('.'), variables.tags, variables);
  return unknown(variable, nearest(name));
}

const known = (name: string, value: string, { targetGroupARN }: CheckVariables): Rendered =>
  value === ''
    ? refuse(
        `Expected ${PREFIX}${name} of target group ${targetGroupARN} to be known, got nothing. Use another variable, or let an AWSTargetGroupSet make its AWSTargetGroup, which says its cluster.`,
      )
    : { ok: true, value };

function ofMap(
  what: 'label' | 'tag',
  key: string,
  map: Readonly<Record<string, string>> | undefined,
  { targetGroupARN, clusterName }: CheckVariables,
): Rendered {
  if (map !== undefined && Object.hasOwn(map, key)) return { ok: true, value: map[key] ?? '' };
  const whose = what === 'tag' ? `cluster ${clusterName}` : `target group ${targetGroupARN}`;
  const got = map === undefined ? 'no tags' : (nearestOf(Object.keys(map), key) ?? 'none');
  return refuse(
    `Expected ${whose} to have the ${what} ${quote(key)}, got ${got}. Add it, or use another variable.`,
  );
}

const unknown = (variable: string, suggestion: string | undefined): Rendered =>
  refuse(
    `Expected one of the variables ${KNOWN} as {{${PREFIX}clusterName}}, got {{${variable}}}. ${suggestion === undefined ? 'Correct the variable.' : `Did you mean {{${PREFIX}${suggestion}}}?`}`,
  );

const nearest = (name: string): string | undefined => nearestOf(names, name);

/** The name that takes the fewest corrections, when these are few. */
function nearestOf(among: readonly string[], name: string): string | undefined {
  const short = name.slice(0, 64);
  const [best] = among
    .map((one) => ({ one, distance: distance(one.toLowerCase(), short.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance || compareText(a.one, b.one));
  return best !== undefined && best.distance <= Math.max(2, best.one.length / 3) ? best.one : undefined;
}

/** How many letters have to be added, left out or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const refuse = (message: string): Rendered => ({ ok: false, message });

const quote = (text: string): string => JSON.stringify(text.length <= 100 ? text : `${text.slice(0, 99)}…`);
