import type { Action, Rule, RuleTransform } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Carried, CarriedPart } from '../../../crds/listener-rule.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { failure } from '../../failure.ts';

/** The actions that end a rule (API_Action): each rule has exactly one, and it is the last. */
const routing: readonly (string | undefined)[] = ['forward', 'redirect', 'fixed-response'];

/** Whether an action ends a rule, and is not one that comes before. */
export const isRouting = ({ Type }: Action): boolean => routing.includes(Type);

/** What a rule that ELBv2 returned does besides matching and forwarding. */
export function carriedIn({ Actions = [], Transforms = [] }: Rule): Carried {
  const actions = Actions.filter((action) => !isRouting(action))
    .toSorted((a, b) => (a.Order ?? 0) - (b.Order ?? 0))
    .map(fromAction);
  const transforms = Transforms.map(fromTransform).toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return {
    ...(actions.length === 0 ? {} : { actions }),
    ...(transforms.length === 0 ? {} : { transforms }),
  };
}

function fromAction(action: Action): CarriedPart {
  const { AuthenticateOidcConfig: oidc, AuthenticateCognitoConfig, JwtValidationConfig } = action;
  // AWS never returns the secret; should it do so one day, it must not get into a status.
  const { ClientSecret: _, UseExistingClientSecret: __, ...shown } = oidc ?? {};
  const config = AuthenticateCognitoConfig ?? JwtValidationConfig ?? shown;
  return { type: action.Type ?? 'unknown', config: canonical(config) };
}

const fromTransform = ({ Type, HostHeaderRewriteConfig, UrlRewriteConfig }: RuleTransform): CarriedPart => ({
  type: Type ?? 'unknown',
  config: canonical(HostHeaderRewriteConfig ?? UrlRewriteConfig ?? {}),
});

/** An action before the last as ELBv2 takes it for a rule that has one of this kind: OIDC goes on with the secret that is there. */
export function toAction({ type, config }: CarriedPart): Action {
  switch (type) {
    case 'authenticate-oidc':
      return {
        Type: type,
        AuthenticateOidcConfig: { ...parse<'AuthenticateOidcConfig'>(config), UseExistingClientSecret: true },
      };
    case 'authenticate-cognito':
      return { Type: type, AuthenticateCognitoConfig: parse<'AuthenticateCognitoConfig'>(config) };
    case 'jwt-validation':
      return { Type: type, JwtValidationConfig: parse<'JwtValidationConfig'>(config) };
    default:
      throw unknown('action', type);
  }
}

/** A transform as ELBv2 takes it. */
export function toTransform({ type, config }: CarriedPart): RuleTransform {
  switch (type) {
    case 'host-header-rewrite':
      return { Type: type, HostHeaderRewriteConfig: parse<'HostHeaderRewriteConfig'>(config) };
    case 'url-rewrite':
      return { Type: type, UrlRewriteConfig: parse<'UrlRewriteConfig'>(config) };
    default:
      throw unknown('transform', type);
  }
}

/** Reads a configuration that `carriedIn` has written. */
const parse = <Name extends keyof (Action & RuleTransform)>(
  config: string,
): NonNullable<(Action & RuleTransform)[Name]> => JSON.parse(config);

const unknown = (what: string, type: string): Error =>
  failure(
    'Conflict',
    `Expected each ${what} of the rule to be one that Okra can carry along, got ${type}, which it does not know. Remove it from the rule, or update Okra.`,
  );
