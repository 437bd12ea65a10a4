import { describe, expect, it } from 'vitest';
import {
  driftWatchId,
  kindsWithWorkflow,
  objectWorkflowId,
  targetGroupCheckId,
} from '../../domain/model/workflow-ids.ts';
import { isShortened, temporalId } from './workflow-start.ts';

/** As long as Kubernetes lets names be. */
const key = (last: string) => ({ namespace: 'n'.repeat(63), name: `${'o'.repeat(252)}${last}` });
const ids = (last: string): readonly string[] => [
  ...kindsWithWorkflow
    .filter(({ kind }) => kind !== 'Cell')
    .map(({ kind }) => objectWorkflowId(kind, key(last))),
  driftWatchId(`arn:aws:elasticloadbalancing:${'r'.repeat(300)}:111122223333:listener/app/web/a/${last}`),
];

describe('the id that Temporal gets', () => {
  it.each([
    objectWorkflowId('Cell', { namespace: 'n'.repeat(63), name: 'c'.repeat(63) }),
    objectWorkflowId('AWSApplicationLoadBalancerConfig', { namespace: 'default', name: 'web' }),
    targetGroupCheckId('n'.repeat(63)),
    'x'.repeat(255),
  ])('is the whole one when it fits: %s', (id) => {
    expect(temporalId(id)).toBe(id);
    expect(isShortened(id)).toBe(false);
  });

  it.each(ids('a'))('fits into the column of an SQL store: %s', (id) => {
    expect(id.length).toBeGreaterThan(255);
    expect(Buffer.byteLength(temporalId(id))).toBeLessThanOrEqual(255);
    expect(isShortened(temporalId(id))).toBe(true);
  });

  it.each(ids('a'))('says for people what it is about: %s', (id) => {
    expect(temporalId(id).slice(0, 200)).toBe(id.slice(0, 200));
  });

  it('is another for each object, and stays what it is when it is shortened again', () => {
    const short = [...ids('a'), ...ids('b')].map(temporalId);
    expect(new Set(short).size).toBe(short.length);
    expect(short.map(temporalId)).toEqual(short);
  });

  it('is always the same, because workflows outlive the program', () => {
    const id = objectWorkflowId('AWSTargetGroupBinding', { namespace: 'default', name: 'a'.repeat(253) });
    expect(temporalId(id)).toBe(
      `target-group-binding/default/${'a'.repeat(193)}~37e4694b04cc205617e8e885c9cf5d80`,
    );
  });
});
