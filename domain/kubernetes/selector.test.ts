import { describe, expect, it } from 'vitest';
import { matches, type Labels, type LabelSelector } from './selector.ts';

const web = { role: 'web', tier: 'gold' };

const table: [string, LabelSelector | undefined, Labels, boolean][] = [
  ['an absent selector matches nothing', undefined, web, false],
  ['an empty selector matches everything', {}, web, true],
  ['an empty selector matches an object without labels', {}, undefined, true],
  ['a label has to have the value', { matchLabels: { role: 'web' } }, web, true],
  ['another value does not do', { matchLabels: { role: 'api' } }, web, false],
  ['all labels have to be there', { matchLabels: { role: 'web', team: 'a' } }, web, false],
  ['no labels match no wish', { matchLabels: { role: 'web' } }, undefined, false],
  ['In takes one of the values', expression('role', 'In', ['api', 'web']), web, true],
  ['In refuses other values', expression('role', 'In', ['api']), web, false],
  ['In refuses an absent label', expression('team', 'In', ['a']), web, false],
  ['NotIn refuses one of the values', expression('role', 'NotIn', ['web']), web, false],
  ['NotIn takes other values', expression('role', 'NotIn', ['api']), web, true],
  ['NotIn takes an absent label, as Kubernetes does', expression('team', 'NotIn', ['a']), web, true],
  ['Exists asks for the label', expression('role', 'Exists'), web, true],
  ['Exists refuses an absent label', expression('team', 'Exists'), web, false],
  ['DoesNotExist refuses a label that is there', expression('role', 'DoesNotExist'), web, false],
  ['DoesNotExist takes an absent label', expression('team', 'DoesNotExist'), web, true],
  ['an unknown operator matches nothing', expression('role', 'Near', ['web']), web, false],
  ['members of every object are no labels', expression('constructor', 'Exists'), web, false],
  [
    'labels and expressions both have to hold',
    { matchLabels: { role: 'web' }, ...expression('tier', 'In', ['silver']) },
    web,
    false,
  ],
];

describe('matches', () => {
  it.each(table)('%s', (_, selector, labels, want) => expect(matches(selector, labels)).toBe(want));
});

function expression(key: string, operator: string, values?: string[]): LabelSelector {
  return { matchExpressions: [{ key, operator, values }] };
}
