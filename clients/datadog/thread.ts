import { parentPort } from 'node:worker_threads';
import { ProviderError } from '../provider-error.ts';
import { askDatadog } from './client.ts';
import type { ThreadAnswer, ThreadRequest } from './connect.ts';

const running = new Map<number, AbortController>();

parentPort?.on('message', (request: ThreadRequest) => {
  if (request.do === 'GiveUp') running.get(request.id)?.abort();
  else void answer(request);
});

async function answer({ id, access, asked }: Extract<ThreadRequest, { do: 'Ask' }>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    tell({ id, answer: await askDatadog(access, asked, controller.signal) });
  } catch (error) {
    const trouble = error instanceof ProviderError ? error.trouble : ({ is: 'Unavailable' } as const);
    tell({ id, trouble, message: error instanceof Error ? error.message : 'Datadog was not asked.' });
  } finally {
    running.delete(id);
  }
}

const tell = (said: ThreadAnswer): void => parentPort?.postMessage(said);
