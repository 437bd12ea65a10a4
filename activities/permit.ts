import { refusalOf, type Access, type Use } from '../domain/access/access.ts';
import type { Adoption } from './contract.ts';
import { failure } from './failure.ts';

/** What the annotation of an object lets it take over: one whose namespace an AccessPolicy is about takes nothing from others. */
export const adoptionFor = (adopt: boolean, access: Access | undefined): Adoption =>
  adopt && access !== undefined ? 'NotOfOthers' : adopt;

/** Throws `NotAllowed` when a namespace may not use one of these. */
export function permit(access: Access | undefined, uses: readonly Use[]): void {
  const refusals = uses.flatMap((use) => refusalOf(access, use) ?? []);
  if (refusals.length > 0) throw failure('NotAllowed', refusals.join(' '));
}
