/** What an operator can ask of a rollout, in the order in which a person would look for it. */
export const requestNames = ['pause', 'resume', 'promote', 'promoteFull', 'abort', 'retry'] as const;

export type RequestName = (typeof requestNames)[number];

/** All that can be asked: the requests, and to approve the step that waits for it, which takes an identity. */
export const askNames = [...requestNames, 'approve'] as const;

export type AskName = (typeof askNames)[number];

export const stagedRequestNames = [
  'pause',
  'resume',
  'promote',
  'abort',
  'retry',
] as const satisfies readonly RequestName[];

/** The name of a request as a verb of RBAC on the object that it is about: in lower case, as all verbs are. */
export type RequestVerb = Lowercase<AskName>;

/** The verbs of RBAC by which Kubernetes lets a person make requests, by the kind that they are about. */
export const requestVerbs = {
  Cell: askNames.map(verbOf),
  StagedBindingPolicy: stagedRequestNames.map(verbOf),
} as const satisfies Readonly<Record<string, readonly RequestVerb[]>>;

export function verbOf(name: AskName): RequestVerb {
  // The compiler does not follow that lower case is what it calls so.
  return name.toLowerCase() as RequestVerb;
}
