import { fileURLToPath, pathToFileURL } from 'node:url';
import { generate, type GeneratedFiles, withParts } from '../../crds/generated-files.ts';
import { statements, type Statement } from './permissions.ts';

interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Statement['conditions'];
}

/** A policy as IAM takes it. */
export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

/** The policy of okrad's own identity. */
export const policy = (): PolicyDocument => ({
  Version: '2012-10-17',
  Statement: statements.map(({ sid, actions, resources, conditions }) => ({
    Sid: sid,
    Effect: 'Allow',
    Action: Object.keys(actions),
    Resource: resources.length === 1 ? (resources[0] ?? '*') : resources,
    ...(conditions === undefined ? {} : { Condition: conditions }),
  })),
});

const cell = (words: string): string => words.replaceAll('|', '\\|');

const row = ({ sid, actions, calledBy, limit }: Statement): readonly string[] =>
  Object.entries(actions).map(
    ([action, use]) => `| \`${action}\` | ${cell(use)} | ${calledBy} | \`${sid}\` | ${cell(limit)} |`,
  );

const table = (): string =>
  [
    '| action | for | called by | statement | limited to |',
    '| --- | --- | --- | --- | --- |',
    ...statements.flatMap(row),
  ].join('\n');

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const PAGE = at('../../docs/iam.md');

/** The files that are made of the table, by their paths. */
export const files = (): GeneratedFiles =>
  new Map([
    [at('policy.json'), `${JSON.stringify(policy(), undefined, 2)}\n`],
    [PAGE, withParts(PAGE, { actions: table() })],
  ]);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  generate(files(), (old) => `${old.join(' and ')} out of date.`);
