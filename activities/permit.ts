import { refusalOf, type Access, type Use } from '../domain/access.ts';
import { failure } from './failure.ts';

/** Throws `NotAllowed` when a namespace may not use one of these. */
export function permit(access: Access | undefined, uses: readonly Use[]): void {
  const refusals = uses.flatMap((use) => refusalOf(access, use) ?? []);
  if (refusals.length > 0) throw failure('NotAllowed', refusals.join(' '));
}
