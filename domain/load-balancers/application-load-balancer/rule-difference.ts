import type { Carried, CarriedPart, ListenerRule } from '../../../crds/listener-rule.ts';
import { sameValue } from '../../kubernetes/canonical.ts';
import { sameMatch } from './listener-rule.ts';
import { sameShares } from '../weights.ts';

/** Whether a rule does something besides matching and forwarding. */
export const isCarrying = ({ actions = [], transforms = [] }: Carried): boolean =>
  actions.length + transforms.length > 0;

/** The actions that someone took off a rule; others in their place are that person's change, none would let everybody in. */
export const lostActions = (had: Carried, found: Carried): readonly CarriedPart[] =>
  (found.actions ?? []).length > 0 ? [] : (had.actions ?? []);

/** Whether an action can be made again of what AWS shows of it; the client secret of OIDC is never shown. */
export const isRestorable = ({ type }: CarriedPart): boolean => type !== 'authenticate-oidc';

/** What there is of something, for people: `authenticate-oidc`, or `none`. */
export const typesText = (parts: readonly CarriedPart[] | undefined): string =>
  parts === undefined || parts.length === 0 ? 'none' : parts.map(({ type }) => type).join(', ');

/** Says for people how what a rule does besides matching and forwarding has changed; undefined when it has not. */
function describeCarried(had: Carried, found: Carried): string | undefined {
  const filled = ({ actions = [], transforms = [] }: Carried): Carried => ({ actions, transforms });
  if (sameValue(filled(had), filled(found))) return undefined;
  const lost = lostActions(had, found);
  if (lost.length > 0) return `The rule has lost its ${typesText(lost)}.`;
  const types = ({ actions, transforms }: Carried): string =>
    `other actions ${typesText(actions)}, transforms ${typesText(transforms)}`;
  return types(had) === types(found)
    ? `The rule has other settings for what it does besides forwarding (${types(found)}).`
    : `The rule does something else besides forwarding: it had ${types(had)}; it has ${types(found)}.`;
}

/** What continues being said of a rule: what it carries now, and the actions that were taken off it and are not back yet. */
export function mergeCarried(had: Carried, found: Carried): Carried {
  const lost = lostActions(had, found);
  return lost.length === 0 ? found : { ...found, actions: [...lost] };
}

interface DesiredRule {
  readonly rule: ListenerRule;
  readonly carried: Carried;
}

/** A rule as it is. */
export interface PresentRule extends DesiredRule {
  /** The conditions that no object can say, in words. */
  readonly unsaid: readonly string[];
}

/** The parts of a rule that are compared and written; `actions` are those before it forwards. */
const PARTS = ['priority', 'conditions', 'actions', 'forward', 'targets'] as const;

/** A part of a rule that can be another than wanted. */
export type RulePart = (typeof PARTS)[number];

const TEXTS: Readonly<Record<RulePart, string>> = {
  priority: 'its priority',
  conditions: 'its conditions',
  actions: 'its other actions',
  forward: 'its weights or its stickiness',
  targets: 'the stickiness of its target groups',
};

/** Compares a rule with what is wanted; no parts differ when they serve the same. */
export function differenceOf(wanted: DesiredRule, got: PresentRule): readonly RulePart[] {
  const [want, have] = [wanted.rule, got.rule];
  const isOther: Readonly<Record<RulePart, boolean>> = {
    priority: want.priority !== have.priority,
    conditions: got.unsaid.length > 0 || !sameMatch({ ...want, priority: have.priority }, have),
    actions: lostActions(wanted.carried, got.carried).length > 0,
    forward:
      !sameShares(want.forward.targetGroups, have.forward.targetGroups) ||
      !sameValue(want.forward.targetGroupStickiness, have.forward.targetGroupStickiness),
    targets: !sameValue(want.forward.targetStickiness, have.forward.targetStickiness),
  };
  return PARTS.filter((part) => isOther[part]);
}

/** Says a difference for people. */
export const describeDifference = (parts: readonly RulePart[]): string =>
  `The rule differs in ${parts.map((part) => TEXTS[part]).join(' and ')}.`;

/** Says for people how a rule is another than the one that was read last; undefined when it is the same. */
export function describeDrift(last: DesiredRule, got: PresentRule): string | undefined {
  const difference = differenceOf(last, got);
  const said = [
    difference.length === 0 ? undefined : describeDifference(difference),
    describeCarried(last.carried, got.carried),
  ].filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join(' ');
}
