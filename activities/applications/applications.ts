import type { ApplicationsActivities } from '../contract.ts';
import { withHeartbeat } from '../heartbeat.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { observeApplications } from './observe.ts';
import { readCell } from './parts.ts';
import { performApplication } from './perform.ts';
import { holdOrLetGo, releaseCell } from './release.ts';

/** Makes the activities of Cells with applications. */
export function applicationsActivities(means: ApplicationsDependencies): ApplicationsActivities {
  const { kubernetes } = means;
  return {
    observeApplications: (key, how) =>
      withHeartbeat(async (signal) => {
        const cell = await readCell(kubernetes, key);
        if (cell !== undefined) await holdOrLetGo(kubernetes, cell);
        return await observeApplications(key, means, { signal, ...how });
      }),
    performApplication: (request) => withHeartbeat((signal) => performApplication(request, means, signal)),
    async releaseApplications({ key, uid }) {
      const cell = await readCell(kubernetes, key);
      if (cell?.uid !== uid) return { isDone: true, message: 'The Cell is gone.' };
      const left = await releaseCell(kubernetes, cell);
      return left.length === 0
        ? { isDone: true, message: 'Nothing of it is left.' }
        : { isDone: false, message: left.join(' ') };
    },
  };
}
