import { sameRuleOrListener, type Route } from '../load-balancers/load-balancer.ts';
import { isOfAnother, ownershipOf, ownerTag } from '../load-balancers/owner-tag.ts';
import type { ObjectKey } from '../model/ids.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';

/** A rule of a listener, or its default action, in memory. */
export interface SimulatedRule {
  readonly arn: string;
  /** What its tag says; undefined when it has none. */
  owner: string | undefined;
  route: Route;
  shares: readonly WeightedTargetGroup[];
  /** What was served before the last write. */
  before: readonly WeightedTargetGroup[];
}

/** One change of a rule that an object has made. */
export interface SimulatedChange {
  readonly by: ObjectKey;
  readonly adopt: boolean;
  readonly arn: string;
  /** Whose the rule was; undefined: nobody's. */
  readonly owner: string | undefined;
  /** Whether the rule was made by this. */
  readonly isNew: boolean;
  /** What is served from now on; undefined when the rule is deleted. */
  readonly shares: readonly WeightedTargetGroup[] | undefined;
  readonly before: readonly WeightedTargetGroup[];
}

/** Who wants to write a rule, and with what permission. */
export interface Claimant {
  readonly key: ObjectKey;
  readonly adopt: boolean;
}

/** What a write is about. */
export interface Aim {
  readonly route: Route;
  /** The rule that the status names, and where it says that it is. */
  readonly told: { readonly arn: string; readonly route: Route } | undefined;
  /** Whether the status says that it is served already. */
  readonly isSame: boolean;
  readonly verify: boolean;
  readonly urgent: boolean;
}

const INSTALLATION = 'here';

/** Whether a write goes by the status, and looks at no rule. */
export const isTold = ({ told, verify, route }: Aim): boolean =>
  told !== undefined && !verify && sameRuleOrListener(told.route, route);

/** The rules of listeners, with their owners, as the writers of load balancers find and claim them. Objects may share it. */
export class SimulatedListener {
  rules: SimulatedRule[] = [];
  readonly changes: SimulatedChange[] = [];
  #made = 0;

  /** The tag of what an object owns. */
  static tagOf(key: ObjectKey): string {
    return ownerTag({ key, installation: INSTALLATION });
  }

  at(route: Route): SimulatedRule | undefined {
    return this.rules.find((rule) => sameRuleOrListener(rule.route, route));
  }

  named(arn: string | undefined): SimulatedRule | undefined {
    return this.rules.find((rule) => rule.arn === arn);
  }

  /** Whether an object may write a rule, as soon as it has taken it over. */
  mayClaim({ key, adopt }: Claimant, { owner }: SimulatedRule, isOurs = false): boolean {
    const ownership = ownershipOf({ key, installation: INSTALLATION }, owner);
    return ownership === 'Foreign' || (ownership === 'Nobodys' && !isOurs) ? adopt : true;
  }

  /** Finds the rule that a write goes to: undefined where it has to be made, `Conflict` where it is someone else's. */
  find(claimant: Claimant, aim: Aim): SimulatedRule | 'Conflict' | undefined {
    const { route, told, isSame, urgent } = aim;
    const there = this.at(route);
    const named = this.named(told?.arn);
    if (isTold(aim) && named !== undefined) {
      const isOurs = isSame || named.owner === undefined || this.mayClaim(claimant, named);
      return isOurs ? named : 'Conflict';
    }
    const isLeft = named === there || !isOfAnother(claimant, named?.owner);
    const moved = isLeft ? named : undefined;
    const rule = urgent ? (moved ?? there) : (there ?? moved);
    return rule === undefined || this.mayClaim(claimant, rule, rule !== there) ? rule : 'Conflict';
  }

  /** Tags a rule as an object's. */
  claim({ key }: Claimant, rule: SimulatedRule): void {
    rule.owner = SimulatedListener.tagOf(key);
  }

  /** Writes a rule, or makes it; one whose place someone else has stays where it is. */
  write(
    { key, adopt }: Claimant,
    rule: SimulatedRule | undefined,
    to: Pick<SimulatedRule, 'route' | 'shares'>,
  ): SimulatedRule {
    const { owner, shares: before = [] } = rule ?? {};
    this.#made += rule === undefined ? 1 : 0;
    const written = rule ?? { arn: `rule/${this.#made}`, owner: undefined, ...to, before: [] };
    if (rule === undefined) {
      this.rules.push(written);
      this.claim({ key, adopt }, written);
    }
    const change = { by: key, adopt, arn: written.arn, owner, isNew: rule === undefined };
    this.changes.push({ ...change, shares: to.shares, before });
    const holder = this.at(to.route);
    const isFree = holder === undefined || holder === written;
    return Object.assign(written, {
      before,
      shares: to.shares,
      route: isFree ? to.route : written.route,
    });
  }

  /** Deletes the rules of an object among some. */
  remove({ key, adopt }: Claimant, rules: readonly (SimulatedRule | undefined)[]): void {
    for (const rule of new Set(rules)) {
      if (rule === undefined || rule.owner === undefined) continue;
      const { arn, owner, shares: before } = rule;
      if (!this.mayClaim({ key, adopt: false }, rule)) continue;
      this.changes.push({ by: key, adopt, arn, owner, isNew: false, shares: undefined, before });
      this.rules = this.rules.filter((one) => one !== rule);
    }
  }
}
