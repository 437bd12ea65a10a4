import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A file that a page has written or changed, with its code. */
export interface DocumentedFile {
  readonly file: string;
  readonly code: string;
}

/** The files that a page has written or changed, in the order of its steps. */
export const documentedFiles = (page: string): readonly DocumentedFile[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^### \d\. `([^`]+)`\n(.*?)```ts\n(.*?)\n```$/gms)].map(
    ([, file = '', , code = '']) => ({ file, code }),
  );
