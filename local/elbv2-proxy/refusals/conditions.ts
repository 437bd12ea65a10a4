import { given, items, text, texts } from '../protocol/fields.ts';
import { conditionKinds, configOf, isMixed, judgeValues, valuesOf, wildcardsOf } from './condition-values.ts';
import { api, firstOf, guide, invalid, type Rule } from './refusal.ts';

const ruleWrites = ['CreateRule', 'ModifyRule'];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** What AWS refuses in the conditions of a rule. */
export const conditionRules: readonly Rule[] = [
  {
    name: 'condition-required',
    actions: ['CreateRule'],
    source: api('API_CreateRule'),
    refuse: ({ parameters }) =>
      given(parameters, 'Conditions') ? undefined : invalid('A condition must be specified'),
  },
  {
    name: 'change-required',
    actions: ['ModifyRule'],
    source: api('API_ModifyRule'),
    refuse: ({ parameters }) =>
      ['Conditions', 'Actions', 'Transforms'].some((name) => given(parameters, name)) ||
      text(parameters, 'ResetTransforms') !== undefined
        ? undefined
        : invalid('Either conditions or actions must be specified'),
  },
  {
    name: 'condition-field',
    actions: ruleWrites,
    source: api('API_RuleCondition'),
    refuse: ({ parameters }) =>
      firstOf(items(parameters, 'Conditions'), (condition) => {
        const field = text(condition, 'Field');
        if (field === undefined || field === '') return invalid('A condition field must be specified');
        if (conditionKinds[field] !== undefined) return undefined;
        return invalid(
          `Condition field '${field}' must be one of '[${Object.keys(conditionKinds).join(',')}]'`,
        );
      }),
  },
  {
    name: 'one-of-a-kind',
    actions: ruleWrites,
    source: api('API_RuleCondition'),
    refuse: ({ parameters }) => {
      const fields = items(parameters, 'Conditions').map((condition) => text(condition, 'Field') ?? '');
      const twice = fields.find(
        (field, index) => conditionKinds[field]?.once === true && fields.indexOf(field) < index,
      );
      return twice === undefined ? undefined : invalid(`A rule can only have one '${twice}' condition`);
    },
  },
  {
    name: 'condition-value-required',
    actions: ruleWrites,
    source: api('API_RuleCondition'),
    refuse: ({ parameters }) =>
      firstOf(items(parameters, 'Conditions'), (condition) =>
        valuesOf(condition).length > 0 ? undefined : invalid('A condition value must be specified'),
      ),
  },
  {
    name: 'condition-form',
    actions: ruleWrites,
    source: api('API_RuleCondition'),
    refuse: ({ parameters }) =>
      firstOf(items(parameters, 'Conditions'), (condition) => {
        const field = text(condition, 'Field') ?? '';
        const plain = texts(condition, 'Values');
        const isPlainField = field === 'host-header' || field === 'path-pattern';
        if (plain.length > 0 && !isPlainField)
          return invalid(`The 'Values' field is not compatible with '${field}'`);
        if (plain.length > 1)
          return invalid(`The '${field}' field contains too many values; the limit is '1'`);
        if (isMixed(condition))
          return invalid(`A '${field}' condition takes either values or regular expressions`);
        const isBoth = plain.length > 0 && given(configOf(condition), 'Values');
        const config = conditionKinds[field]?.config;
        return isBoth ? invalid(`You cannot provide both Values and '${config}' for a condition`) : undefined;
      }),
  },
  {
    name: 'five-condition-values',
    actions: ruleWrites,
    source: guide('application', 'load-balancer-limits'),
    refuse: ({ parameters }) =>
      sum(items(parameters, 'Conditions').map((condition) => valuesOf(condition).length)) > 5
        ? invalid("A rule can only have '5' condition values")
        : undefined,
  },
  {
    name: 'five-condition-wildcards',
    actions: ruleWrites,
    source: guide('application', 'load-balancer-limits'),
    refuse: ({ parameters }) =>
      sum(items(parameters, 'Conditions').map(wildcardsOf)) > 5
        ? invalid("A rule can only have '5' condition wildcards")
        : undefined,
  },
  {
    name: 'condition-values',
    actions: ruleWrites,
    source: guide('application', 'rule-condition-types'),
    refuse: ({ parameters }) =>
      firstOf(items(parameters, 'Conditions'), (condition) => {
        const problem = judgeValues(condition);
        return problem === undefined ? undefined : invalid(problem);
      }),
  },
];
