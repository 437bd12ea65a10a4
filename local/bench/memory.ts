import { readFile } from 'node:fs/promises';

/** How much memory a process has, and the most that it ever had, in megabytes. */
export interface Memory {
  readonly now: number;
  readonly most: number;
}

/** Reads the memory of a process; undefined where the system does not tell, as macOS does not. */
export async function memoryOf(pid: number | undefined): Promise<Memory | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  return status === undefined ? undefined : parseMemory(status);
}

/** Reads the memory out of what Linux says in `/proc/<pid>/status`. */
export function parseMemory(status: string): Memory | undefined {
  const [now, most] = ['VmRSS', 'VmHWM'].map((field) => megabytes(status, field));
  return now === undefined || most === undefined ? undefined : { now, most };
}

function megabytes(status: string, field: string): number | undefined {
  // What is called kB there are 1024 bytes.
  const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return kibibytes === undefined ? undefined : (Number(kibibytes) * 1024) / 1e6;
}

/** How much processor time a process has taken so far, in seconds; undefined where the system does not tell. */
export async function cpuSecondsOf(pid: number | undefined): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat === undefined ? undefined : parseCpuSeconds(stat);
}

// What Linux has counted in since 2.4, on every architecture that Okra runs on.
const TICKS_PER_SECOND = 100;

/** Reads the processor time out of what Linux says in `/proc/<pid>/stat`. */
export function parseCpuSeconds(stat: string): number {
  // The name of the program is in parentheses, and may have any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = '', system = ''] = fields.slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}
