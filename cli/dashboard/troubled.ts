import { inOneLine } from '../terminal-text.ts';

/** Learns why something of a page could not be read; undefined: it could. */
export type Troubled = (what: string, why: string | undefined) => void;

/** What an error says, in one line. */
export const messageOf = (error: unknown): string =>
  inOneLine(error instanceof Error ? error.message : String(error));

/** Tells why something is not read, or that it is again. */
export async function telling<Result>(
  what: string,
  reading: Promise<Result>,
  troubled: Troubled,
): Promise<Result> {
  try {
    const result = await reading;
    troubled(what, undefined);
    return result;
  } catch (error) {
    troubled(what, messageOf(error));
    throw error;
  }
}
