import { expect, it } from 'vitest';
import { SEQUENCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { nextSequence } from '../../domain/rollout/shift.ts';
import { aCell } from '../../domain/testing/builders.ts';
import { initialState } from '../../domain/model/state.ts';
import { sequenceOf } from './config-object.ts';

const saying = (sequence: string) =>
  ({ metadata: { name: 'web', annotations: { [SEQUENCE_ANNOTATION]: sequence } } }) as never;

it.each([
  ['7', 7],
  ['', 0],
  ['x', 0],
  ['-1', 0],
  ['1.5', 0],
  ['Infinity', 0],
  ['1e400', 0],
  [`${Number.MAX_SAFE_INTEGER}`, Number.MAX_SAFE_INTEGER],
  [`${Number.MAX_SAFE_INTEGER + 1}`, 0],
])('a sequence of "%s" is read as %s, and later writes follow it', (text, read) => {
  let state = initialState;
  let object = saying(text);
  expect(sequenceOf(object)).toBe(read);
  for (let write = 1; write <= 3; write += 1) {
    // What an activity has seen reaches the workflow as JSON.
    const { sequence } = JSON.parse(JSON.stringify({ sequence: sequenceOf(object) })) as { sequence: number };
    const next = nextSequence({ ...aCell().seen(), sequence }, state);
    // As the writer compares, which refuses the write otherwise.
    expect(sequenceOf(object) < next).toBe(true);
    state = { ...state, sequence: next };
    object = saying(String(next));
  }
});
