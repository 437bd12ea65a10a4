import { type Fields, fieldsOf, items } from '../protocol/fields.ts';
import type { World } from '../world/world.ts';

/** A call about to be judged, with everything its account has in its region. */
export interface Judged {
  readonly action: string;
  readonly parameters: Fields;
  readonly world: World;
}

/** What AWS answers instead of doing what was asked; the HTTP status is 400 unless said otherwise. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
}

/** One thing that AWS refuses, and the page of its documentation that says so. */
export interface Rule {
  readonly name: string;
  readonly actions: readonly string[];
  readonly source: string;
  readonly refuse: (call: Judged) => Refusal | undefined;
}

/** The AWS API reference. */
export const api = (page: string): string =>
  `https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/${page}.html`;

/** The AWS guide to one type of load balancer. */
export const guide = (type: 'application' | 'network', page: string): string =>
  `https://docs.aws.amazon.com/elasticloadbalancing/latest/${type}/${page}.html`;

/** Refuses bad input. */
export const invalid = (message: string): Refusal => ({ code: 'ValidationError', message });

/** The actions that carry rule or default actions. */
export const forwarding: readonly string[] = ['CreateRule', 'ModifyRule', 'CreateListener', 'ModifyListener'];

/** Reads the actions of a call on a rule or a listener. */
export const actionsOf = (parameters: Fields): readonly Fields[] => [
  ...items(parameters, 'Actions'),
  ...items(parameters, 'DefaultActions'),
];

/** Reads the forward configurations of a call. */
export const forwardConfigsOf = (parameters: Fields): readonly Fields[] =>
  actionsOf(parameters)
    .filter((action) => action['Type'] === 'forward')
    .map((action) => fieldsOf(action, 'ForwardConfig'));

/** Reads a whole number; anything else is not a number. */
export function whole(value: string | undefined): number {
  return value !== undefined && /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
}

/** Tells whether a number lies within bounds, both included. */
export const within = (value: number, low: number, high: number): boolean => value >= low && value <= high;

/** Judges each of many by one refusal and keeps the first. */
export function firstOf<T>(many: Iterable<T>, refuse: (one: T) => Refusal | undefined): Refusal | undefined {
  for (const one of many) {
    const refusal = refuse(one);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
