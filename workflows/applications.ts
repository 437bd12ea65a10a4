import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import type { Served } from '../domain/load-balancer.ts';
import { applyUpdate, type ApplyRequest } from './messages.ts';

/** Those who wait for an object to be applied. */
export interface Applications {
  /** Answers those who wait for this generation or an older one. */
  readonly serve: (generation: number, served: Served) => void;
  /** Refuses all who wait now. */
  readonly refuse: (failure: ApplicationFailure) => void;
  /** Whether somebody waits to take traffic back. */
  readonly areUrgent: () => boolean;
}

interface Waiting {
  readonly request: ApplyRequest;
  answer?: { readonly served: Served } | { readonly failure: ApplicationFailure };
}

/** Takes the `apply` updates; each is answered once its generation is served, or was refused for good. */
export function takeApplications(onRequest: (request: ApplyRequest) => void): Applications {
  const waiting = new Set<Waiting>();
  setHandler(
    applyUpdate,
    async (request) => {
      const mine: Waiting = { request };
      waiting.add(mine);
      onRequest(request);
      await condition(() => mine.answer !== undefined);
      waiting.delete(mine);
      if (mine.answer !== undefined && 'served' in mine.answer) return mine.answer.served;
      throw (
        mine.answer?.failure ??
        ApplicationFailure.nonRetryable('Expected an answer, got none.', 'Unavailable')
      );
    },
    { description: 'Applies the object and answers when ELBv2 was read back.' },
  );
  return {
    serve: (generation, served) => {
      for (const one of waiting) if (one.request.generation <= generation) one.answer ??= { served };
    },
    refuse: (failure) => {
      for (const one of waiting) one.answer ??= { failure };
    },
    areUrgent: () => [...waiting].some((one) => one.request.urgent),
  };
}
