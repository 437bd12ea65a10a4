import type { ObjectKey } from '../../domain/model/ids.ts';
import { askNames, type AskName } from '../../domain/model/request.ts';
import type { Seen } from '../../domain/model/seen.ts';
import { CommandError, exitCodes } from '../okractl/shell.ts';
import { send } from '../okractl/send.ts';
import type { Viewer } from './viewer.ts';

/** What came of a request. */
export interface Asked {
  readonly status: 200 | 202 | 403 | 409 | 502;
  readonly message: string;
}

/** A request of the page. */
export interface PageRequest {
  readonly key: ObjectKey;
  readonly name: AskName;
  readonly reason: string;
  /** What the page showed when the person decided. */
  readonly seen: Seen;
}

/** Makes a request in the name of the person, if Kubernetes lets them, and says what comes of it. */
export async function ask(
  { session, by }: Pick<Viewer, 'session' | 'by'>,
  { key, name, reason, seen }: PageRequest,
): Promise<Asked> {
  if (by === undefined)
    return {
      status: 403,
      message: 'Expected someone who has logged in, got nobody. This page is to look at.',
    };
  try {
    const said: string[] = [];
    let isSure = true;
    await send(
      {
        print: (text) => void said.push(text),
        warn: (text) => void said.push(text),
        exitWith: () => {
          isSure = false;
        },
      },
      { ...session, whoAmI: () => Promise.resolve(by) },
      { target: { kind: 'Cell', key }, name, reason, seen },
    );
    return { status: isSure ? 200 : 202, message: said.join(' ') };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isRefused = error instanceof CommandError && error.code === exitCodes.refused;
    return { status: isRefused ? 409 : 502, message };
  }
}

/** Whether a word names a request. */
export const isAskName = (word: unknown): word is AskName => askNames.some((name) => name === word);
