import { requestVerbs, verbOf, type AskName, type RequestVerb } from '../../crds/request-names.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { CELL, groupOf, STAGED_BINDING_POLICY, type KindRef } from './kinds.ts';
import type { Access, Person } from './person.ts';

/** A kind whose objects take requests. */
export type AskedKind = keyof typeof requestVerbs;

type PartOfKey = { readonly [Field in keyof ObjectKey]?: ObjectKey[Field] | undefined };

/** An object that is asked something; without a name all of the namespace, without a namespace all there are. */
export interface Asked {
  readonly kind: AskedKind;
  readonly key: PartOfKey;
}

/** What a person wants to do to an object, or to some of a kind. */
export interface Wish {
  readonly verb: string;
  readonly kind: KindRef;
  readonly key: PartOfKey;
  readonly role?: string;
}

const refs: Readonly<Record<AskedKind, KindRef>> = { Cell: CELL, StagedBindingPolicy: STAGED_BINDING_POLICY };

/** The ClusterRole of an installation named `okra` that has a verb of requests. */
export const roleWith = (verb: RequestVerb): string =>
  verb === 'approve' ? 'okra-approver' : 'okra-operator';

/** Says why a person may not make a request; undefined when Kubernetes lets them. */
export const refusalToAsk = (
  person: Pick<Person, 'may' | 'whoAmI'>,
  name: AskName,
  { kind, key }: Asked,
): Promise<string | undefined> => {
  const verb = verbOf(name);
  return refusalTo(person, { verb, kind: refs[kind], key, role: roleWith(verb) });
};

/** Says whether Kubernetes lets a person make a request. */
export const mayAsk = (
  { may }: Pick<Person, 'may'>,
  verb: RequestVerb,
  { kind, key }: Asked,
): Promise<boolean> => may(accessOf({ verb, kind: refs[kind], key }));

/** Says which requests Kubernetes lets a person make, of all that the kind takes. */
export async function requestsAllowed(
  person: Pick<Person, 'may'>,
  asked: Asked,
): Promise<ReadonlySet<RequestVerb>> {
  const verbs = requestVerbs[asked.kind];
  const answers = await Promise.all(verbs.map((verb) => mayAsk(person, verb, asked)));
  return new Set(verbs.filter((_, index) => answers[index] === true));
}

/** Says why a person may not do something; undefined when Kubernetes lets them. */
export async function refusalTo(
  { may, whoAmI }: Pick<Person, 'may' | 'whoAmI'>,
  wish: Wish,
): Promise<string | undefined> {
  if (await may(accessOf(wish))) return undefined;
  const { verb, kind, role } = wish;
  const who = await whoAmI();
  const { namespace = '', name } = wish.key;
  const what = name === undefined ? kind.plural : `${kind.kind} ${formatKey({ namespace, name })}`;
  const where =
    kind.namespaced && namespace !== '' ? ` in namespace ${namespace}` : ', for the whole cluster';
  const grant =
    role === undefined
      ? `Have a role with that verb bound to ${who}${where}.`
      : `Have the ClusterRole ${role}, or another with that verb, bound to ${who}${where}.`;
  return `Kubernetes does not let ${who} ${verb} ${what} (verb ${verb} of ${kind.plural}.${groupOf(kind)}). ${grant}`;
}

function accessOf({ verb, kind, key: { namespace, name } }: Wish): Access {
  return {
    group: groupOf(kind),
    resource: kind.plural,
    verb,
    ...(kind.namespaced ? { namespace } : {}),
    ...(name === undefined ? {} : { name }),
  };
}
