// Ends the processes of a stack when the one that started them is gone, however it went: the pipe on standard input closes
// with it, even on `kill -9`. Lines `+<pid>` and `-<pid>` say which process groups there are;
// an argument names a temporary folder that goes with the stack.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const graceMillis = 5_000;
/** @type {Set<number>} */
const groups = new Set();

// A signal to the terminal's group must not take the reaper away before its work is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

/**
 * @param {number} group
 * @param {NodeJS.Signals | 0} signal
 */
function send(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const group = Number.parseInt(line.slice(1), 10);
  if (line.startsWith('+')) groups.add(group);
  else groups.delete(group);
}

for (const group of groups) {
  // A stopped process would not act on SIGTERM before it is continued.
  send(group, 'SIGTERM');
  send(group, 'SIGCONT');
}
const end = Date.now() + graceMillis;
while (Date.now() < end && [...groups].some((group) => send(group, 0))) await sleep(50);
for (const group of groups) send(group, 'SIGKILL');

const folder = process.argv[2];
if (folder !== undefined) await rm(folder, { recursive: true, force: true });
