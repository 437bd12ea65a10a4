import fc from 'fast-check';
import {
  durationOrSeconds,
  duration,
  few,
  fields,
  long,
  mostly,
  name,
  word,
  type Fields,
} from './arbitraries.ts';

const argument = mostly(
  fc.oneof(
    fields({ name: word, value: fc.string({ maxLength: 60 }) }),
    fields({
      name: word,
      valueFrom: fields({ fieldRef: fields({ fieldPath: word.map((field) => `spec.${field}`) }) }),
    }),
  ),
  { name: 'a', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
  { name: 'a', valueFrom: { secretKeyRef: { name: 'a' } } },
  { name: 'a', valueFrom: { podTemplateHashValue: 'Latest' } },
  { name: 'a', valueFrom: {} },
  { name: 'a' },
  { name: 'a', value: 'b', valueFrom: { fieldRef: { fieldPath: 'spec.c' } } },
  { name: 'a', value: long },
  { name: 'a', value: 1 },
);
const metrics = mostly(
  fc.constantFrom([], [{ metricName: 'a' }], [{ metricName: 'a' }, { metricName: 'b' }]),
  [{ metricName: '' }],
  [{ metricName: 'a' }, { metricName: 'a' }],
);
const settings: Fields = {
  dryRun: metrics,
  measurementRetention: mostly(
    fc.integer({ min: 1, max: 1000 }).map((limit) => [{ metricName: 'a', limit }]),
    [{ metricName: 'a', limit: 0 }],
    [{ metricName: 'a' }],
  ),
  analysisRunMetadata: fields({}, { labels: fc.constant({ team: 'a' }), annotations: fc.constant({}) }),
};
const analysis = fields(
  { templates: mostly(few(fields({ templateName: name }, { clusterScope: fc.boolean() })), [], [{}]) },
  { args: fc.array(argument, { maxLength: 3 }), ...settings },
);
const replicaSet = mostly(
  fields({ name, specRef: name }, { replicas: fc.integer({ min: 1, max: 9 }) }),
  { name: 'a' },
  { name: 'a', specRef: 'b', weight: 5 },
  { name: 'a', specRef: 'b', selector: {} },
);
const measured = fields(
  { name, templateName: name },
  { requiredForCompletion: fc.boolean(), args: fc.array(argument, { maxLength: 2 }) },
);
const experiment = fields(
  { templates: few(replicaSet, 1, 2) },
  { duration: durationOrSeconds, analyses: few(measured, 0, 2), ...settings },
);
const runAs = mostly(fields({}, { runAsUser: fc.integer({ min: 1, max: 9 }) }), { runAsUser: 0 });
const variable = mostly(fields({ name: word }, { value: fc.string({ maxLength: 60 }) }), {}, { name: 1 });
const pod = mostly(
  fields(
    { image: word },
    {
      args: fc.array(word, { maxLength: 3 }),
      env: fc.array(variable, { maxLength: 3 }),
      resources: fields({}, { limits: fc.constantFrom({}, { cpu: 1 }, { memory: '1Gi' }, { cpu: '' }) }),
      securityContext: runAs,
    },
  ),
  {},
  { image: '' },
);
const job = fields(
  { template: fields({ spec: pod }) },
  { name, timeout: duration, backoffLimit: mostly(fc.integer({ min: 0, max: 10 }), -1, 11, '1') },
);
const pause = fields({}, { duration: durationOrSeconds });
const weight = (least: number, most: number): fc.Arbitrary<unknown> =>
  mostly(fc.integer({ min: least, max: most }), -1, 0, 101, 0.5, '20', 1e9);
const listOf = (moving: Fields): fc.Arbitrary<unknown[]> =>
  fc.array(
    mostly(
      fc.oneof(
        { weight: 9, arbitrary: fc.oneof(fields(moving), fields({ pause }), fields({ analysis })) },
        { weight: 1, arbitrary: fields({ experiment }) },
        { weight: 1, arbitrary: fields({ job }) },
      ),
      {},
      { setWeight: 20, pause: {} },
    ),
    { maxLength: 5 },
  );
const canarySteps = fc.oneof(
  listOf({ setWeight: weight(0, 100) }),
  listOf({ stepWeight: weight(1, 20) }),
  fc.constantFrom([{ setWeight: 20 }, { stepWeight: 20 }], [{ stepWeight: 60 }, { stepWeight: 41 }]),
);
const blueGreenSteps = mostly(
  fc
    .tuple(few(fc.oneof(fields({ pause }), fields({ analysis })), 0, 2), few(fields({ analysis }), 0, 2))
    .map(([before, after]) => [...before, { promote: {} }, ...after]),
  [],
  [{ pause: {} }],
  [{ promote: {} }, { promote: {} }],
);
const also: Fields = {
  bake: fields({ duration }, { analysis }),
  rollbackWindow: fields({ duration }),
};
const background = fc.tuple(analysis, fc.nat(2)).map(([one, startingStep]) => ({ ...one, startingStep }));
const onFailure = mostly(fc.constantFrom('Rollback', 'Hold'), 'Ignore');
const canary = fc.oneof(
  { weight: 4, arbitrary: fields({}, { steps: canarySteps, onFailure }) },
  { weight: 1, arbitrary: fields({ steps: canarySteps, analysis: background }) },
);
/** How a new version comes into service. */
export const strategy = mostly(
  fc.oneof(
    fields({}, { type: fc.constant('Canary'), canary, ...also }),
    fields({ type: fc.constant('BlueGreen') }, { blueGreen: fields({}, { steps: blueGreenSteps }), ...also }),
  ),
  { type: 'Recreate' },
  { type: 'BlueGreen', canary: {} },
  { blueGreen: {} },
);
