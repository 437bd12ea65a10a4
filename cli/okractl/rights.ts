import type { permissions } from '../../deploy/rbac/permissions.ts';
import type { Access } from '../../clients/kubernetes/person.ts';
import {
  AWS_TARGET_GROUP,
  CELL,
  EVENT,
  FREEZE,
  groupOf,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import { roleWith, type AskedKind } from '../../clients/kubernetes/request-rights.ts';
import { requestVerbs, type RequestVerb } from '../../crds/request-names.ts';
import { fine, problem, unknown, type Finding } from './findings.ts';

type Permission = (typeof permissions)[number];

/** A right that someone may have, and what it is for. */
export interface Right {
  readonly access: Access;
  readonly use: string;
  /** Whether the rest works without it. */
  readonly optional: boolean;
}

/** Where okrad does its work. */
export interface Places {
  /** A namespace that it watches; undefined: all. */
  readonly watched: string | undefined;
  /** Where its Lease and its ConfigMaps are. */
  readonly own: string;
}

/** What only some steps, and StagedBindingPolicies, need: Argo Rollouts, Jobs, pod templates, KubeStellar, approvals. */
const optionalGroups: ReadonlySet<string> = new Set([
  'argoproj.io',
  'batch',
  'apps',
  'control.kubestellar.io',
  'authorization.k8s.io',
]);

/** All that okrad has to be let do, by the table of permissions. */
export const rightsOfOkrad = (table: readonly Permission[], { watched, own }: Places): readonly Right[] =>
  table.flatMap(({ scope, kinds, subresource, verbs, names = [undefined], use }) =>
    kinds.flatMap((kind) =>
      names.flatMap((name) =>
        verbs.map((verb) => ({
          access: {
            group: groupOf(kind),
            resource: kind.plural,
            verb,
            ...(subresource === undefined ? {} : { subresource }),
            ...(name === undefined ? {} : { name }),
            ...(scope === 'Cluster' ? {} : { namespace: scope === 'Own' ? own : watched }),
          },
          use,
          optional: scope === 'ClusterSecrets' || optionalGroups.has(groupOf(kind)),
        })),
      ),
    ),
  );

/** What a person needs for the commands; without reading nothing works. */
export function rightsOfPerson(namespace: string | undefined): readonly Right[] {
  const right = (kind: KindRef, verbs: readonly string[], use: string, optional = false): readonly Right[] =>
    verbs.map((verb) => ({
      access: {
        group: groupOf(kind),
        resource: kind.plural,
        verb,
        ...(kind.namespaced ? { namespace } : {}),
      },
      use,
      optional,
    }));
  return [
    ...right(CELL, ['get', 'list', 'watch'], 'get, describe, watch, history'),
    ...right(AWS_TARGET_GROUP, ['list'], 'plan, rollback'),
    ...right(AWS_TARGET_GROUP, ['watch'], 'watch --until-settled', true),
    ...right(FREEZE, ['list', 'watch'], 'describe, watch'),
    ...right(EVENT, ['list'], 'describe', true),
    ...right(CELL, ['patch'], 'rollback', true),
    ...right(FREEZE, ['create', 'delete'], 'freeze, unfreeze', true),
  ];
}

/** Says which requests a person may make, and by which ClusterRoles the others are let. */
export function judgeRequests(kind: AskedKind, allowed: ReadonlySet<RequestVerb>): Finding {
  const lacking = requestVerbs[kind].filter((verb) => !allowed.has(verb));
  const had = [...allowed].join(', ') || 'nothing';
  const text = `you may ask of a ${kind}: ${had}`;
  if (lacking.length === 0) return fine(text);
  const by = [...new Set(lacking.map(roleWith))].join(' and ');
  return unknown(`${text}; not ${lacking.join(', ')}, which the ClusterRole ${by} let one`);
}

/** Judges rights by what the API server allows; those that are alike are told together. */
export function judgeRights(
  who: string,
  rights: readonly { readonly right: Right; readonly isAllowed: boolean }[],
): readonly Finding[] {
  const denied = rights.filter(({ isAllowed }) => !isAllowed);
  if (denied.length === rights.length && denied.length > 1)
    return [
      problem(
        `${who}: none of ${rights.length} rights. Look whether that is who is meant, and bind its roles.`,
      ),
    ];
  const count = rights.length - denied.length;
  const groups = Map.groupBy(denied, ({ right: { access, use, optional } }) =>
    [access.resource, access.subresource ?? '', access.namespace ?? '', use, optional].join('|'),
  );
  const findings = [...groups.values()].flatMap(([first, ...others]): readonly Finding[] => {
    if (first === undefined) return [];
    const { access, use, optional } = first.right;
    const verbs = [...new Set([first, ...others].map(({ right }) => right.access.verb))].join(', ');
    const resource =
      access.subresource === undefined ? access.resource : `${access.resource}/${access.subresource}`;
    const isEverywhere = 'namespace' in access && access.namespace === undefined;
    const where = isEverywhere
      ? ' in all namespaces'
      : access.namespace === undefined
        ? ''
        : ` in namespace ${access.namespace}`;
    const text = `${who} may not ${verbs} ${resource}${where} (${use})`;
    return [
      optional
        ? { is: 'Unknown', what: `${text}; the rest works without it` }
        : problem(
            `${text}. Grant it${isEverywhere ? ', or ask with --namespace for each namespace that is meant' : ''}.`,
          ),
    ];
  });
  return [...(count === 0 ? [] : [fine(`${who}: ${count} of ${rights.length} rights`)]), ...findings];
}
