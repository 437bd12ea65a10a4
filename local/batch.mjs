import { spawnSync } from 'node:child_process';

/**
 * Has Linux run this process, and all that it starts from now on, as a batch (SCHED_BATCH in sched(7)): none of them takes
 * the processor from another as soon as it wakes up, which halves the switches between the servers and the tests of a run.
 * Where there is no chrt(1) everything stays as it was.
 */
export const runAsBatch = () =>
  void spawnSync('chrt', ['-b', '-p', '0', String(process.pid)], { stdio: 'ignore' });
