import { type Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { tooLarge } from './kubernetes-error.ts';
import { isRecord } from '../../domain/model/fields.ts';

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

type Pieces = AsyncIterable<Uint8Array>;

/** Undoes the compression of an answer. */
export function unpacked(body: Readable, encoding: string | readonly string[] | undefined): Readable {
  if (encoding !== 'gzip') return body;
  // Whoever reads sees why it broke.
  return pipeline(body, createGunzip(), () => undefined);
}

/** Reads a whole answer of at most so many bytes; throws a KubernetesError for a longer one. */
export async function textOf(pieces: Pieces, { most, name, allowance }: AnswerLimits): Promise<string> {
  const gathered = gather();
  for await (const piece of pieces) {
    gathered.add(piece);
    if (gathered.size() > most) throw tooLarge(name, `an answer of at most ${most} bytes`);
    if (allowance === undefined) continue;
    allowance.left -= piece.length;
    if (allowance.left < 0) throw tooLarge(name, 'a list that fits', 'ListTooLarge');
  }
  return gathered.take();
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

const FIRST_BYTES = 16_384;

/** Puts pieces together in one place, since millions of small ones would each take up more than they say. */
function gather() {
  let place = Buffer.alloc(0);
  let size = 0;
  return {
    size: () => size,
    add: (piece: Uint8Array): void => {
      if (size + piece.length > place.length) {
        const larger = Buffer.alloc(Math.max(FIRST_BYTES, 2 * place.length, size + piece.length));
        place.copy(larger, 0, 0, size);
        place = larger;
      }
      place.set(piece, size);
      size += piece.length;
    },
    take: (): string => {
      const text = new TextDecoder().decode(place.subarray(0, size));
      size = 0;
      // What one large event needed is not kept for the small ones after it.
      if (place.length > FIRST_BYTES) place = Buffer.alloc(0);
      return text;
    },
  };
}
