import { tooLarge } from './kubernetes-error.ts';
import { isRecord } from '../../domain/model/fields.ts';
import { gather, readText, type Pieces } from '../bounded-request.ts';

/** How much is read of what an API server answers before it is given up. */
export interface ReadLimits {
  readonly answerBytes: number;
  /** Objects that are asked for at once; fewer when so many do not fit into an answer. */
  readonly pageItems: number;
  readonly listPages: number;
  readonly listItems: number;
  readonly listBytes: number;
  readonly listMilliseconds: number;
  readonly lineBytes: number;
  /** All events of a watch until it is begun again. */
  readonly watchBytes: number;
}

const MEGABYTE = 1_000_000;

/** For Okra's own cluster, whose objects are many: what no API server in order reaches. */
export const OWN_CLUSTER: ReadLimits = {
  answerBytes: 32 * MEGABYTE,
  pageItems: 500,
  listPages: 10_000,
  listItems: 1_000_000,
  listBytes: 4_000 * MEGABYTE,
  listMilliseconds: 600_000,
  lineBytes: 8 * MEGABYTE,
  watchBytes: 4_000 * MEGABYTE,
};

/** For a cluster that a secret names: what 10,000 nodes, or pods of a namespace, do not reach. */
export const REMOTE_CLUSTER: ReadLimits = {
  answerBytes: 8 * MEGABYTE,
  pageItems: 250,
  listPages: 1_000,
  listItems: 20_000,
  listBytes: 256 * MEGABYTE,
  listMilliseconds: 60_000,
  lineBytes: 4 * MEGABYTE,
  watchBytes: 256 * MEGABYTE,
};

/** Of an answer that is an error, or one that nobody reads. */
export const ERROR_BYTES = 64_000;

/** The longest `continue` and the longest resource version that are sent back to who gave them. */
export const TOKEN_CHARACTERS = 16_000;

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value);
const isTexts = (value: unknown): boolean =>
  value === undefined || value === null || (isRecord(value) && Object.values(value).every(isText));

/** Whether something is an object of the Kubernetes API as far as every reader counts on: what its metadata says is of the right types. */
export function isObject(value: unknown): value is Record<string, unknown> {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(metadata)) return false;
  const { name, namespace, uid, resourceVersion, labels, annotations } = metadata;
  return (
    isText(name) &&
    [namespace, uid, resourceVersion].every(isTextOrNone) &&
    [labels, annotations].every(isTexts)
  );
}

/** What is left of the bytes that may be read altogether; whoever reads takes from it. */
export interface Allowance {
  left: number;
}

/** Reads a whole answer of at most so many bytes; throws a KubernetesError for a longer one. */
export function textOf(body: Pieces, { most, name, allowance }: AnswerLimits): Promise<string> {
  return readText(body, (size, added) => {
    if (size > most) throw tooLarge(name, `an answer of at most ${most} bytes`);
    if (allowance === undefined) return;
    allowance.left -= added;
    if (allowance.left < 0) throw tooLarge(name, 'a list that fits', 'ListTooLarge');
  });
}

/** How much of an answer is read. */
export interface AnswerLimits {
  readonly name: string;
  readonly most: number;
  readonly allowance?: Allowance;
}

interface LineLimits {
  readonly name: string;
  readonly lineBytes: number;
  readonly allBytes: number;
}

const NEWLINE = 10;

/** Reads lines as they come; throws a KubernetesError when one, or all together, are too long. */
export async function* linesOf(
  pieces: Pieces,
  { name, lineBytes, allBytes }: LineLimits,
): AsyncGenerator<string, void> {
  const gathered = gather();
  let all = 0;
  for await (const piece of pieces) {
    all += piece.length;
    if (all > allBytes) throw tooLarge(name, `at most ${allBytes} bytes of events`);
    // Only what is new is looked through: a line without an end would be read again with each piece of it.
    let begin = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, begin)) {
      gathered.add(piece.subarray(begin, end));
      begin = end + 1;
      if (gathered.size() > lineBytes) break;
      if (gathered.size() > 0) yield gathered.take();
    }
    gathered.add(piece.subarray(begin));
    if (gathered.size() > lineBytes) throw tooLarge(name, `events of at most ${lineBytes} bytes`);
  }
}
