import type {
  Action,
  CreateRuleInput,
  Rule,
  RuleCondition,
  RuleTransform,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2 } from '../../../../clients/aws/elbv2.ts';
import { OWNER_TAG } from '../../../../domain/kubernetes/labels.ts';
import { arnOf } from '../../../../domain/testing/builders.ts';

/** The listener that rules made by hand are on. */
export const listenerARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/demo/a/b';

/** What someone makes of a rule by hand. */
interface ByHand {
  /** Undefined: someone takes the tag off. */
  readonly owner?: string | undefined;
  readonly before?: readonly Action[];
  readonly transforms?: readonly RuleTransform[];
  readonly conditions?: readonly RuleCondition[];
}

/** The rules of listeners, which do with a write what ELBv2 does with it. */
export interface FakeListener {
  readonly elbv2: ELBv2;
  rule(priority: number, listener?: string): Rule | undefined;
  owner(priority: number): string | undefined;
  weights(priority: number): Readonly<Record<string, number>>;
  attributes(group: string): Readonly<Record<string, string>> | undefined;
  byHand(priority: number, made: ByHand): void;
  change(priority: number, made: ByHand): void;
  remove(priority: number): void;
  /** Gives the listener that rules made by hand are on tags. */
  tagListener(tags: Readonly<Record<string, string>>): void;
  /** Lets the next reads of one rule fail. */
  failReads(count: number): void;
  /** Lets reads not show what was created from now on, or does again. */
  showNew(shows: boolean): void;
  /** Lets the next read of one rule go unanswered. */
  hangRead(): void;
}

const tagsWith = (
  tags: Readonly<Record<string, string>>,
  owner: string | undefined,
): Record<string, string> => {
  const { [OWNER_TAG]: _before, ...others } = tags;
  return owner === undefined ? others : { ...others, [OWNER_TAG]: owner };
};

type Kept = Rule & { readonly listener: string; readonly tags: Record<string, string> };

function refusal(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** Shows actions as ELBv2 does: no secret, and not that the existing one was used. */
function shown(actions: readonly Action[], present: readonly Action[]): Action[] {
  return actions.map((action) => {
    if (action.AuthenticateOidcConfig === undefined) return action;
    const { ClientSecret, UseExistingClientSecret, ...config } = action.AuthenticateOidcConfig;
    const hasOne = present.some((one) => one.Type === 'authenticate-oidc');
    if (ClientSecret === undefined && !(UseExistingClientSecret === true && hasOne))
      throw refusal('InvalidLoadBalancerActionException', 'You must specify a client secret');
    return { ...action, AuthenticateOidcConfig: config };
  });
}

const forwardTo = (weights: Readonly<Record<string, number>>, Order: number): Action => ({
  Type: 'forward',
  Order,
  ForwardConfig: {
    TargetGroups: Object.entries(weights).map(([name, Weight]) => ({ TargetGroupArn: arnOf(name), Weight })),
  },
});

/** Makes listeners without rules. */
export function aListener(): FakeListener {
  let rules: readonly Kept[] = [];
  let failures = 0;
  let hangs = false;
  let created = 0;
  const attributes = new Map<string, Readonly<Record<string, string>>>();
  const listeners = new Map<string, Readonly<Record<string, string>>>();
  let shownUpTo = Infinity;
  const isShown = ({ RuleArn = '' }: Rule): boolean => Number(RuleArn.split('/').at(-1)) <= shownUpTo;
  const put = (rule: Kept): void => {
    rules = [...rules.filter((one) => one.RuleArn !== rule.RuleArn), rule];
  };
  const find = (arn: string | undefined): Kept => {
    const rule = rules.find((one) => one.RuleArn === arn);
    if (rule === undefined) throw refusal('RuleNotFoundException', 'not found');
    return rule;
  };
  const at = (priority: number, listener = listenerARN): Kept | undefined =>
    rules.find((one) => one.Priority === String(priority) && one.listener === listener);
  const create = (input: CreateRuleInput): Kept => {
    const { ListenerArn: listener = '', Priority, Conditions, Actions = [], Transforms, Tags = [] } = input;
    const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
    if (at(Number(Priority), listener) !== undefined)
      throw refusal('PriorityInUseException', `Priority '${Priority}' is currently in use`);
    created += 1;
    const RuleArn = `${listener.replace(':listener/', ':listener-rule/')}/${created}`;
    const rule = { RuleArn, Priority: String(Priority), Conditions, Transforms, Actions: shown(Actions, []) };
    put({ ...rule, listener, tags });
    return find(RuleArn);
  };
  const read = <Value>(look: () => Value, signal?: AbortSignal): Promise<Value> => {
    if (hangs) {
      hangs = false;
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(refusal('AbortError', 'aborted')));
      });
    }
    failures -= 1;
    if (failures >= 0) return Promise.reject(refusal('Throttling', 'Rate exceeded'));
    return Promise.resolve(look());
  };
  const elbv2: Partial<ELBv2> = {
    ready: () => Promise.resolve(),
    rulesOf: (listener, signal) =>
      read(() => rules.filter((one) => one.listener === listener && isShown(one)), signal),
    rule: (arn, signal) => read(() => rules.find((one) => one.RuleArn === arn && isShown(one)), signal),
    tagsOf: (arn) =>
      Promise.resolve(arn.includes(':listener/') ? (listeners.get(arn) ?? {}) : find(arn).tags),
    tagsOfAll: (arns) => Promise.resolve(new Map(arns.map((arn) => [arn, find(arn).tags]))),
    tag: (arn, tags) => Promise.resolve(put({ ...find(arn), tags: { ...find(arn).tags, ...tags } })),
    attributesOf: (arn) => Promise.resolve(attributes.get(arn) ?? {}),
    setAttributes: (arn, some) => {
      attributes.set(arn, { ...attributes.get(arn), ...some });
      return Promise.resolve();
    },
    createRule: (input) => Promise.resolve(input).then(create),
    deleteRule: (arn) => {
      rules = rules.filter((one) => one.RuleArn !== arn);
      return Promise.resolve();
    },
    modifyRule: async ({ RuleArn, Actions, Conditions }) => {
      const rule = await Promise.resolve(find(RuleArn));
      const actions = Actions === undefined ? rule.Actions : shown(Actions, rule.Actions ?? []);
      put({ ...rule, Actions: actions, Conditions: Conditions ?? rule.Conditions });
      return find(RuleArn);
    },
    setPriority: async (ruleARN, priority) => {
      const rule = find(ruleARN);
      const holder = at(priority, rule.listener);
      if (holder !== undefined && holder.RuleArn !== ruleARN)
        throw refusal('PriorityInUseException', `Priority '${priority}' is currently in use`);
      put({ ...rule, Priority: String(priority) });
      await Promise.resolve();
    },
  };
  const change = (priority: number, made: ByHand): void => {
    const { before, transforms, conditions, owner } = made;
    const rule = at(priority);
    if (rule === undefined) throw new Error(`Expected a rule ${priority}, got none.`);
    const last = (rule.Actions ?? []).filter((one) => one.Type === 'forward');
    put({
      ...rule,
      ...(before === undefined ? {} : { Actions: [...before, ...last] }),
      ...('owner' in made ? { tags: tagsWith(rule.tags, owner) } : {}),
      ...(transforms === undefined ? {} : { Transforms: [...transforms] }),
      ...(conditions === undefined ? {} : { Conditions: [...conditions] }),
    });
  };
  return {
    elbv2: elbv2 as ELBv2,
    rule: at,
    owner: (priority) => at(priority)?.tags[OWNER_TAG],
    weights: (priority) =>
      Object.fromEntries(
        (at(priority)?.Actions?.at(-1)?.ForwardConfig?.TargetGroups ?? []).map((group) => [
          group.TargetGroupArn?.split('/')[1] ?? '',
          group.Weight ?? 1,
        ]),
      ),
    attributes: (group) => attributes.get(arnOf(group)),
    byHand: (priority, made) => {
      create({
        ListenerArn: listenerARN,
        Priority: priority,
        Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['a.com'] } }],
        Actions: [forwardTo({ a: 7 }, 2)],
      });
      change(priority, made);
    },
    change,
    remove: (priority) => {
      rules = rules.filter((one) => one !== at(priority));
    },
    tagListener: (tags) => void listeners.set(listenerARN, tags),
    showNew: (shows) => {
      shownUpTo = shows ? Infinity : created;
    },
    hangRead: () => {
      hangs = true;
    },
    failReads: (count) => {
      failures = count;
    },
  };
}
