import type { Carried, CarriedPart } from '../../../crds/listener-rule.ts';
import { canonical } from '../../kubernetes/canonical.ts';

/** Whether a rule does something besides matching and forwarding. */
export const isCarrying = ({ actions = [], transforms = [] }: Carried): boolean =>
  actions.length + transforms.length > 0;

/** Whether two rules do the same besides matching and forwarding. */
export const sameCarried = (a: Carried, b: Carried): boolean => canonical(filled(a)) === canonical(filled(b));

const filled = ({ actions = [], transforms = [] }: Carried): Carried => ({ actions, transforms });

/**
 * The actions that someone has taken off a rule. Other ones in their place are a change, which is left to whoever
 * made it; none at all in their place would let everybody in.
 */
export const lostActions = (had: Carried, found: Carried): readonly CarriedPart[] =>
  (found.actions ?? []).length > 0 ? [] : (had.actions ?? []);

/** Whether an action can be made again of what AWS shows of it; the client secret of OIDC is never shown. */
export const isRestorable = ({ type }: CarriedPart): boolean => type !== 'authenticate-oidc';

/** What there is of something, for people: `authenticate-oidc`, or `none`. */
export const typesText = (parts: readonly CarriedPart[] | undefined): string =>
  parts === undefined || parts.length === 0 ? 'none' : parts.map(({ type }) => type).join(', ');

/** Says for people how what a rule does besides matching and forwarding has changed; undefined when it has not. */
export function describeCarried(had: Carried, found: Carried): string | undefined {
  if (sameCarried(had, found)) return undefined;
  const lost = lostActions(had, found);
  if (lost.length > 0) return `The rule has lost its ${typesText(lost)}.`;
  const types = ({ actions, transforms }: Carried): string =>
    `other actions ${typesText(actions)}, transforms ${typesText(transforms)}`;
  return types(had) === types(found)
    ? `The rule has other settings for what it does besides forwarding (${types(found)}).`
    : `The rule does something else besides forwarding: it had ${types(had)}; it has ${types(found)}.`;
}

/** What goes on being said of a rule: what it carries now, and the actions that were taken off it and are not back yet. */
export function remembered(had: Carried, found: Carried): Carried {
  const lost = lostActions(had, found);
  return lost.length === 0 ? found : { ...found, actions: [...lost] };
}
