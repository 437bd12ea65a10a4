import { listenerARN } from './arns.ts';

const rule = { priority: 10, hosts: ['example.com'], forward: {} };

/** The smallest spec of a Cell, and what is added to it or to its load balancer. */
export function cell(spec: object = {}, alb: object = {}): object {
  return {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN,
        listener: { rule },
        targetGroupSelector: { matchLabels: { role: 'web' } },
        ...alb,
      },
    },
    ...spec,
  };
}

/** A Cell with these canary steps. */
export const steps = (...list: unknown[]): object =>
  cell({ updateStrategy: { type: 'Canary', canary: { steps: list } } });

/** A Cell with this listener rule. */
export const withRule = (changed: object): object => cell({}, { listener: { rule: changed } });

/** A Cell with this selector of target groups. */
export const selecting = (targetGroupSelector: object): object => cell({}, { targetGroupSelector });

/** A Cell with one step, an analysis. */
export const analysis = (
  args: unknown[],
  templates: unknown[] = [{ templateName: 'success-rate' }],
): object => steps({ analysis: { templates, args } });

/** What is left out of an experiment is this. */
const wy = { duration: '5m', templates: [{ name: 'wy', specRef: 'wy' }] };

/** A Cell with one step, an experiment. */
export const experiment = (changed: object = {}): object => steps({ experiment: { ...wy, ...changed } });

/** A Cell with one step, a job, whose pod is this. */
export const job = (pod: object): object =>
  steps({ job: { template: { spec: { image: 'busybox:1.36', ...pod } } } });

/** A Cell with one step and an analysis in the background. */
export const background = (changed: object = {}, list: unknown[] = [{ setWeight: 20 }]): object =>
  cell({
    updateStrategy: {
      canary: { steps: list, analysis: { templates: [{ templateName: 'success-rate' }], ...changed } },
    },
  });
