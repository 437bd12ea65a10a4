import { readFileSync } from 'node:fs';
import * as sdk from '@aws-sdk/client-elastic-load-balancing-v2';

/**
 * Stands in for the `aws` command, which not every machine has: as much of it as docs/quick-start.md and docs/on-call.md type. Arguments are
 * put into the requests of the SDK by their names, and `--query` takes names, `[n]`, `[:n]` and `[]`.
 */
const [service = '', command = '', ...flags] = process.argv.slice(2);

const pascal = (text: string): string =>
  text.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The words after each flag. */
function given(words: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let last: string[] = [];
  for (const word of words) {
    if (word.startsWith('--')) found.set(word.slice(2), (last = []));
    else last.push(word);
  }
  return found;
}

/** Reads `Id=10.0.0.1,Port=80` and `Type=forward,Config={A=1}`. */
function shorthand(text: string): object {
  const pairs = [...text.matchAll(/(\w+)=(?:\{([^}]*)\}|([^,]*))/g)];
  return Object.fromEntries(
    pairs.map(([, key = '', inner, value = '']) => [
      key,
      inner === undefined ? valueOf(key, value) : shorthand(inner),
    ]),
  );
}

const numbers: ReadonlySet<string> = new Set(['Port', 'port']);
const valueOf = (key: string, value: string): string | number => (numbers.has(key) ? Number(value) : value);
const lists: ReadonlySet<string> = new Set(['subnets', 'targets', 'default-actions', 'rule-arns']);

function input(all: ReadonlyMap<string, readonly string[]>): object {
  const fields = [...all].filter(([flag]) => flag !== 'query' && flag !== 'output');
  return Object.fromEntries(
    fields.map(([flag, words]) => {
      const [file] = words.flatMap((word) =>
        word.startsWith('file://') ? [word.slice('file://'.length)] : [],
      );
      if (file !== undefined) return [pascal(flag), JSON.parse(readFileSync(file, 'utf8'))];
      const read = words.map((word) => (word.includes('=') ? shorthand(word) : valueOf(flag, word)));
      return [pascal(flag), lists.has(flag) ? read : read[0]];
    }),
  );
}

/** What a query finds; after `[…]` that keeps several, the rest is looked for in each. */
function find(value: unknown, query: string): unknown {
  const [, name = '', , , index, most, all, rest = ''] =
    /^\.?(\w*)((\[)(?:(\d+)|:(\d+)|())\])?(.*)$/.exec(query) ?? [];
  if (query === '') return value;
  const field: unknown = name === '' ? value : Reflect.get(Object(value), name);
  if (index === undefined && most === undefined && all === undefined) return find(field, rest);
  const items: readonly unknown[] = Array.isArray(field) ? field : [];
  if (index !== undefined) return find(items[Number(index)], rest);
  return items.slice(0, most === undefined ? items.length : Number(most)).flatMap((item) => {
    const found = find(item, rest);
    return found === undefined ? [] : [found].flat();
  });
}

// The EC2 client is no dependency, and the emulator tells services apart by the scope of the signature.
async function askEC2(): Promise<unknown> {
  const scope = `Credential=test/20200101/${process.env['AWS_REGION']}/ec2/aws4_request`;
  const response = await fetch(process.env['AWS_ENDPOINT_URL'] ?? '', {
    method: 'POST',
    headers: { authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=none` },
    body: new URLSearchParams({ Action: pascal(command), Version: '2016-11-15' }),
  });
  const text = await response.text();
  const named = (tag: string): readonly string[] =>
    [...text.matchAll(new RegExp(`<${tag}>([^<]+)</${tag}>`, 'g'))].map(([, id = '']) => id);
  return {
    Vpcs: named('vpcId').map((VpcId) => ({ VpcId })),
    Subnets: named('subnetId').map((SubnetId) => ({ SubnetId })),
  };
}

async function askELBv2(request: object): Promise<unknown> {
  const Command: unknown = Reflect.get(sdk, `${pascal(command)}Command`);
  if (typeof Command !== 'function') throw new Error(`Expected a command of ELBv2, got ${command}.`);
  const client = new sdk.ElasticLoadBalancingV2Client({});
  return await client.send(Reflect.construct(Command, [request]));
}

const all = given(flags);
const answer = service === 'ec2' ? await askEC2() : await askELBv2(input(all));
const found = find(answer, all.get('query')?.join(' ') ?? '');
const isText = all.get('output')?.[0] === 'text';
process.stdout.write(`${isText ? [found].flat().join('\t') : JSON.stringify(found)}\n`);
