import type { Component, Supervised } from './process.ts';

/** A component and its process. */
export interface Member {
  readonly component: Component;
  readonly process: Supervised;
}

/** Starts every member as soon as those that it comes after are ready; the first failure is thrown once nothing starts any more. */
export async function startMembers(
  members: ReadonlyMap<string, Member>,
  { log, signal }: { readonly log: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const starts = new Map<string, Promise<void>>();
  const start = (name: string): Promise<void> => {
    const known = starts.get(name);
    if (known !== undefined) return known;
    const started = startOne(name);
    starts.set(name, started);
    return started;
  };
  const startOne = async (name: string): Promise<void> => {
    const member = members.get(name);
    if (member === undefined) return;
    await Promise.all(member.component.after.map(start));
    either.throwIfAborted();
    const began = Date.now();
    await member.component.prepare?.();
    either.throwIfAborted();
    await member.process.start();
    log(`${name} ready in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  };
  const giveUp = (): void => void stopMembers(members);
  either.addEventListener('abort', giveUp, { once: true });
  const failures: unknown[] = [];
  const note = (error: unknown): void => {
    failures.push(error);
    failed.abort(error);
  };
  await Promise.all([...members.keys()].map((name) => start(name).catch(note)));
  either.removeEventListener('abort', giveUp);
  if (failures.length > 0) throw signal.aborted ? signal.reason : failures[0];
}

/** Stops every member, those first that others do not need. */
export async function stopMembers(members: ReadonlyMap<string, Member>): Promise<void> {
  const stops = new Map<string, Promise<void>>();
  const stop = (name: string): Promise<void> => {
    const known = stops.get(name);
    if (known !== undefined) return known;
    const stopped = stopOne(name);
    stops.set(name, stopped);
    return stopped;
  };
  const stopOne = async (name: string): Promise<void> => {
    const dependents = [...members.values()].filter(({ component }) => component.after.includes(name));
    await Promise.all(dependents.map(({ component }) => stop(component.name)));
    await members.get(name)?.process.stop();
  };
  await Promise.all([...members.keys()].map(stop));
}
