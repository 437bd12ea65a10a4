import { describe, expect, it } from 'vitest';
import {
  driftWatchId,
  kindsWithWorkflow,
  objectWorkflowId,
  targetGroupCheckId,
  workedObject,
} from './workflow-ids.ts';

describe('the id of a workflow', () => {
  it.each(kindsWithWorkflow.map((kind) => [kind.kind, kind] as const))(
    'says which %s it works for',
    (name, kind) => {
      const key = { namespace: kind.namespaced ? 'default' : '', name: 'web' };
      expect(workedObject(objectWorkflowId(name, key))).toEqual({ kind, key });
    },
  );

  it.each([driftWatchId('arn'), targetGroupCheckId('default'), 'stray', 'cellar/default/web'])(
    'that works for no object says none: %s',
    (id) => expect(workedObject(id)).toBeUndefined(),
  );
});
