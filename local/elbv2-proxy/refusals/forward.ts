import { fieldsOf, items, text } from '../protocol/fields.ts';
import { forwardOf } from '../world/world.ts';
import { loadBalancerArnOf, typeOf } from './listener-of.ts';
import {
  actionsOf,
  api,
  firstOf,
  forwardConfigsOf,
  forwarding,
  guide,
  invalid,
  whole,
  within,
  type Rule,
} from './refusal.ts';

const tuplesOf = (config: Parameters<typeof items>[0]): ReturnType<typeof items> =>
  items(config, 'TargetGroups');

/** What AWS refuses in a forward action, whatever else there is. */
export const forwardRules: readonly Rule[] = [
  {
    name: 'weight-range',
    actions: forwarding,
    source: api('API_TargetGroupTuple'),
    refuse: ({ parameters }) =>
      firstOf(forwardConfigsOf(parameters).flatMap(tuplesOf), (tuple) => {
        const weight = text(tuple, 'Weight');
        if (weight === undefined || within(whole(weight), 0, 999)) return undefined;
        return invalid('The weight for each target group must be between 0 and 999, inclusive');
      }),
  },
  {
    name: 'group-per-forward',
    actions: forwarding,
    source: api('API_Action'),
    refuse: ({ parameters }) =>
      firstOf(actionsOf(parameters), (action) => {
        const named = forwardOf(action).filter((one) => one.arn !== '');
        if (action['Type'] !== 'forward' || named.length > 0) return undefined;
        return invalid('A target group ARN must be specified');
      }),
  },
  {
    name: 'five-groups-per-forward',
    actions: forwarding,
    source: guide('application', 'load-balancer-limits'),
    refuse: ({ parameters }) =>
      firstOf(forwardConfigsOf(parameters), (config) => {
        const count = tuplesOf(config).length;
        if (count <= 5) return undefined;
        return {
          code: 'TooManyTargetGroups',
          message: `The maximum number of target groups in a forward action is 5, but ${count} were specified`,
        };
      }),
  },
  {
    name: 'group-once-per-forward',
    actions: forwarding,
    source: api('API_ForwardActionConfig'),
    refuse: ({ parameters }) =>
      firstOf(forwardConfigsOf(parameters), (config) => {
        const arns = tuplesOf(config).map((tuple) => text(tuple, 'TargetGroupArn'));
        const twice = arns.find((arn, index) => arns.indexOf(arn) !== index);
        if (twice === undefined) return undefined;
        return invalid(`Target group '${twice}' is specified more than once in a forward action`);
      }),
  },
  {
    name: 'weight-for-each-of-several',
    actions: forwarding,
    source: guide('application', 'rule-action-types'),
    refuse: ({ parameters }) =>
      firstOf(forwardConfigsOf(parameters), (config) => {
        const tuples = tuplesOf(config);
        const bare = tuples.find((tuple) => text(tuple, 'Weight') === undefined);
        if (tuples.length < 2 || bare === undefined) return undefined;
        return invalid(`A weight must be specified for target group '${text(bare, 'TargetGroupArn')}'`);
      }),
  },
  {
    name: 'group-arn-agrees-with-forward-config',
    actions: forwarding,
    source: api('API_Action'),
    refuse: ({ parameters }) =>
      firstOf(actionsOf(parameters), (action) => {
        const arn = text(action, 'TargetGroupArn');
        const listed = tuplesOf(fieldsOf(action, 'ForwardConfig')).map((tuple) =>
          text(tuple, 'TargetGroupArn'),
        );
        if (arn === undefined || listed.length === 0 || (listed.length === 1 && listed[0] === arn))
          return undefined;
        return invalid('A target group ARN and a forward config must name the same single target group');
      }),
  },
  {
    name: 'stickiness-duration',
    actions: forwarding,
    source: api('API_TargetGroupStickinessConfig'),
    refuse: ({ parameters, world }) =>
      firstOf(forwardConfigsOf(parameters), (config) => {
        const stickiness = fieldsOf(config, 'TargetGroupStickinessConfig');
        const seconds = text(stickiness, 'DurationSeconds');
        const isMissing = seconds === undefined && text(stickiness, 'Enabled') === 'true';
        const isApplication = typeOf(world, loadBalancerArnOf(parameters) ?? '') === 'application';
        if (seconds === undefined ? !(isMissing && isApplication) : within(whole(seconds), 1, 604_800))
          return undefined;
        return invalid(
          'The target group stickiness duration must be between 1 and 604800 seconds, inclusive',
        );
      }),
  },
];
