import type { CheckRun, Synced } from '../activities/contract.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import { samples } from './activities.ts';
import { entity } from './entity.ts';
import { goOn } from './renewal.ts';

/** After this time a look that failed is made again, in seconds. */
const INTERVAL_SECONDS = 60;

/** Measures what a Check asks for, sample by sample, until it has come to a verdict or is gone. */
export async function check(input: { readonly key: ObjectKey }): Promise<void> {
  let throttled: CheckRun['throttled'];
  await entity({
    intervalSeconds: INTERVAL_SECONDS,
    sync: async (): Promise<Synced> => {
      const run = await samples('Look at the Check').runCheck(input.key, throttled);
      ({ throttled } = run);
      return run;
    },
    renew: () => goOn<typeof check>(input),
  });
}
