/** Whether a rule belongs to a listener, by its ARN: a status that someone has written can name any rule. */
export const isRuleOf = (listenerARN: string, ruleARN: string): boolean =>
  ruleARN.startsWith(`${listenerARN.replace(':listener/', ':listener-rule/')}/`);
