import type { Fields, Value } from './fields.ts';

interface Branch {
  readonly children: Map<string, Branch>;
  value: string | undefined;
}

const grow = (): Branch => ({ children: new Map(), value: undefined });

/** Decodes the dotted names of the AWS Query protocol into nested JSON. */
export function decodeQuery(parameters: URLSearchParams): Fields {
  const root = grow();
  for (const [name, value] of parameters) {
    let branch = root;
    for (const part of name.split('.')) {
      const next = branch.children.get(part) ?? grow();
      branch.children.set(part, next);
      branch = next;
    }
    branch.value = value;
  }
  const fields = settle(root);
  return typeof fields === 'object' && !Array.isArray(fields) ? (fields as Fields) : {};
}

function settle(branch: Branch): Value {
  if (branch.children.size === 0) return branch.value ?? '';
  const members = branch.children.get('member');
  if (members !== undefined && branch.children.size === 1 && members.children.size > 0) {
    return [...members.children]
      .toSorted(([left], [right]) => Number(left) - Number(right))
      .map(([, child]) => settle(child));
  }
  // A map, such as the query parameters of an authentication.
  const entries = branch.children.get('entry');
  if (entries !== undefined && branch.children.size === 1 && entries.children.size > 0)
    return { entry: [...entries.children.values()].map(settle) };
  return Object.fromEntries([...branch.children].map(([name, child]) => [name, settle(child)]));
}

/** Encodes nested JSON into the form body of an AWS Query call. */
export function encodeQuery(fields: Fields): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) append(parameters, name, value);
  return parameters.toString();
}

function append(parameters: URLSearchParams, name: string, value: Value | undefined): void {
  if (value === undefined) return;
  if (typeof value === 'string') parameters.append(name, value);
  else if (Array.isArray(value)) {
    const list = name.endsWith('.entry') ? name : `${name}.member`;
    value.forEach((one: Value, index) => append(parameters, `${list}.${index + 1}`, one));
  } else for (const [part, one] of Object.entries(value)) append(parameters, `${name}.${part}`, one);
}
