import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Answer } from '../../domain/checks/answer.ts';
import { ProviderError, unavailable, type ProviderTrouble } from '../provider-error.ts';
import type { DatadogAccess, DatadogQuestion } from './client.ts';

/** What the thread is told. */
export type ThreadRequest =
  | {
      readonly do: 'Ask';
      readonly id: number;
      readonly access: DatadogAccess;
      readonly asked: DatadogQuestion;
    }
  | { readonly do: 'GiveUp'; readonly id: number };

/** What the thread says. */
export type ThreadAnswer =
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly trouble: ProviderTrouble; readonly message: string };

/** Asks Datadog, once; throws a ProviderError when it does not answer. */
export type AskDatadog = (
  access: DatadogAccess,
  asked: DatadogQuestion,
  signal: AbortSignal,
) => Promise<Answer>;

/** The program of the thread: beside this file, and compiled where this file is. */
const THREAD = `./thread${extname(import.meta.url)}`;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes what asks Datadog in a thread of its own. The client loads thousands of files in one go, for seconds where the
 * disk is slow; in the thread of the worker, beats of writes to the load balancer would be missed meanwhile.
 */
export function connectDatadog(): AskDatadog {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let last = 0;

  function open(): Worker {
    const opened = new Worker(new URL(THREAD, import.meta.url));
    const ended = (): void => {
      if (thread !== opened) return;
      thread = undefined;
      for (const { reject } of waiting.values())
        reject(
          unavailable(
            'Expected an answer of Datadog, got the end of the thread that asks. It is asked again.',
          ),
        );
      waiting.clear();
    };
    opened.on('message', (said: ThreadAnswer) => {
      const { resolve, reject } = waiting.get(said.id) ?? {};
      waiting.delete(said.id);
      if ('answer' in said) resolve?.(said.answer);
      else reject?.(new ProviderError(said.trouble, said.message));
      if (waiting.size === 0) opened.unref();
    });
    opened.on('error', ended);
    opened.on('exit', ended);
    opened.unref();
    return opened;
  }

  return async (access, asked, signal) => {
    signal.throwIfAborted();
    thread ??= open();
    const to = thread;
    last += 1;
    const id = last;
    const giveUp = (): void => {
      waiting.get(id)?.reject(signal.reason);
      waiting.delete(id);
      to.postMessage({ do: 'GiveUp', id } satisfies ThreadRequest);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await new Promise<Answer>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        to.ref();
        to.postMessage({ do: 'Ask', id, access, asked } satisfies ThreadRequest);
      });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  };
}
