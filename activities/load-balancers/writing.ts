import type { Writing } from './port.ts';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { untilGivenUp } from '../../clients/concurrency.ts';

/** Lets a write be sent only once ELBv2 can be called at once: what was allowed may be refused by the time that credentials are there. */
export const onceReady = (elbv2: Pick<ELBv2, 'ready'>, writing: Writing): Writing => ({
  ...writing,
  permit: async (weights) => {
    await untilGivenUp(elbv2.ready(), writing.signal);
    await writing.permit(weights);
  },
});
