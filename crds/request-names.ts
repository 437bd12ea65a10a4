/** What an operator can ask of a rollout, in the order in which a person would look for it. */
export const requestNames = ['pause', 'resume', 'promote', 'promoteFull', 'abort', 'retry'] as const;

/** The name of an operator's request. */
export type RequestName = (typeof requestNames)[number];
