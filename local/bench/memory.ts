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
