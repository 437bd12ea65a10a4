import { type Fields, fieldsOf, items, text } from '../protocol/fields.ts';
import { isDefault, rulesOf } from '../world/world.ts';
import { listenerArnOf, protocolOf, touchedActions } from './listener-of.ts';
import { actionsOf, api, firstOf, forwarding, type Judged, type Refusal, type Rule } from './refusal.ts';

const authenticating = new Set(['authenticate-cognito', 'authenticate-oidc', 'jwt-validation']);

const isAuthenticating = (action: Fields): boolean => authenticating.has(text(action, 'Type') ?? '');

const refused = (message: string): Refusal => ({ code: 'InvalidLoadBalancerAction', message });

const oidcConfigs = (actions: readonly Fields[]): readonly Fields[] =>
  actions
    .filter((action) => action['Type'] === 'authenticate-oidc')
    .map((action) => fieldsOf(action, 'AuthenticateOidcConfig'));

const usesExisting = (config: Fields): boolean => text(config, 'UseExistingClientSecret') === 'true';

/** Whether what a call changes has an authentication by OIDC, whose secret can continue being used. */
function hasExisting({ parameters, world }: Judged): boolean {
  const rule = world.rules.get(text(parameters, 'RuleArn') ?? '');
  const listener = world.listeners.get(listenerArnOf(parameters) ?? '');
  const present = rule === undefined ? items(listener ?? {}, 'DefaultActions') : items(rule, 'Actions');
  return oidcConfigs(present).length > 0;
}

/** The actions that a call is about; those of every rule of a listener whose protocol it changes are. */
function guardedActions(call: Judged): readonly Fields[] {
  const { action, parameters, world } = call;
  if (action !== 'ModifyListener' || text(parameters, 'Protocol') === undefined) return actionsOf(parameters);
  const rules = rulesOf(world, text(parameters, 'ListenerArn') ?? '').filter((rule) => !isDefault(rule));
  return [...touchedActions(call), ...rules.flatMap((rule) => items(rule, 'Actions'))];
}

/** What AWS refuses in the actions that come before the last: authentication, and validation of tokens. */
export const authenticationRules: readonly Rule[] = [
  {
    name: 'authentication-on-https',
    actions: forwarding,
    source: api('API_Action'),
    refuse: (call) => {
      const other = guardedActions(call).find(isAuthenticating);
      if (other === undefined || protocolOf(call) === 'HTTPS') return undefined;
      return refused(`Actions of type '${text(other, 'Type')}' are supported only on HTTPS listeners`);
    },
  },
  {
    name: 'one-authentication',
    actions: forwarding,
    source: api('API_Action'),
    refuse: ({ parameters }) =>
      actionsOf(parameters).filter(isAuthenticating).length > 1
        ? { code: 'TooManyActions', message: 'A rule can only have one authentication action' }
        : undefined,
  },
  {
    name: 'client-secret',
    actions: forwarding,
    source: api('API_AuthenticateOidcActionConfig'),
    refuse: (call) =>
      firstOf(oidcConfigs(actionsOf(call.parameters)), (config) => {
        const isGiven = (text(config, 'ClientSecret') ?? '') !== '';
        if (isGiven && usesExisting(config))
          return refused('You cannot both specify a client secret and set UseExistingClientSecret to true');
        if (!isGiven && !usesExisting(config))
          return refused('You must either specify a client secret or set UseExistingClientSecret to true');
        const isNew = call.action.startsWith('Create') || !hasExisting(call);
        return usesExisting(config) && isNew
          ? refused('There is no existing client secret; you must specify a client secret')
          : undefined;
      }),
  },
];

const rewriting = ['host-header-rewrite', 'url-rewrite'];

/** What AWS refuses in the transforms of a rule. */
export const transformRules: readonly Rule[] = [
  {
    name: 'one-transform-of-a-kind',
    actions: ['CreateRule', 'ModifyRule'],
    source: api('API_RuleTransform'),
    refuse: ({ parameters }) => {
      const types = items(parameters, 'Transforms').map((one) => text(one, 'Type') ?? '');
      const unknown = types.find((type) => !rewriting.includes(type));
      const code = 'ValidationError';
      if (unknown !== undefined)
        return { code, message: `Transform type '${unknown}' must be one of '${rewriting.join(', ')}'` };
      const isTwice = new Set(types).size < types.length;
      return isTwice ? { code, message: 'A rule can only have one transform of each type' } : undefined;
    },
  },
  {
    name: 'transforms-or-reset',
    actions: ['ModifyRule'],
    source: api('API_ModifyRule'),
    refuse: ({ parameters }) =>
      items(parameters, 'Transforms').length > 0 && text(parameters, 'ResetTransforms') !== undefined
        ? { code: 'ValidationError', message: "You can't specify both Transforms and ResetTransforms" }
        : undefined,
  },
];
