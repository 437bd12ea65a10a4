import { isLabelKey, isLabelValue } from './label-syntax.ts';

/** Whether a text is a label selector that the API server takes: `team=a,tier in (web, api),!old`. */
export const isSelectorText = (text: string): boolean => requirementsIn(text).every(isRequirement);

/** What stands between the commas, but for those of sets. */
function requirementsIn(text: string): readonly string[] {
  const found = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) found.push('');
    else found.push(`${found.pop() ?? ''}${character}`);
  }
  return found.map((one) => one.trim());
}

function isRequirement(text: string): boolean {
  const [, of = '', values] = /^(\S+)\s+(?:in|notin)\s*\(([^()]*)\)$/.exec(text) ?? [];
  if (values !== undefined)
    return isLabelKey(of) && values.split(',').every((value) => isLabelValue(value.trim()));
  const [key = '', value, ...more] = text.split(/==|!=|[=<>]/).map((part) => part.trim());
  if (value !== undefined) return more.length === 0 && isLabelKey(key) && isLabelValue(value);
  return isLabelKey(key.startsWith('!') ? key.slice(1).trim() : key);
}
