import { stripTypeScriptTypes } from 'node:module';

const TOKEN = /\s+|\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[\w$]+|[^]/y;
const TEMPLATE = /(?:\\[^]|\$(?!\{)|[^`\\$])*(`|\$\{)/y;
const REGULAR_EXPRESSION = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/[\\\n])+)\/([a-z]*)/y;

// After a value a slash divides, and after anything else it begins a regular expression.
const VALUE = /^(?!(?:return|typeof|case|of|in|else|void|await|yield|throw)$)[\w$'")\]}`]/;

/** Finds the regular expressions that are written out in a TypeScript program. */
export function literalsIn(program: string): readonly RegExp[] {
  const text = stripTypeScriptTypes(program).replace(/^#!.*/, '');
  const found: RegExp[] = [];
  // The braces that are open in what is put into templates, the innermost last.
  const open: number[] = [];
  let at = 0;
  const read = (expected: RegExp): RegExpExecArray => {
    expected.lastIndex = at;
    const match = expected.exec(text);
    if (match === null) throw new Error(`Expected ${expected.source}, got ${text.slice(at, at + 40)}.`);
    at = expected.lastIndex;
    return match;
  };
  for (let before = ''; at < text.length;) {
    const begin = at;
    const [token] = read(TOKEN);
    if (/^(\s|\/[/*])/.test(token)) continue;
    if (token === '/' && !VALUE.test(before)) {
      at = begin;
      const [, source = '', flags] = read(REGULAR_EXPRESSION);
      found.push(new RegExp(source, flags));
      before = ')';
      continue;
    }
    const braces = open.pop();
    if (token === '`' || (token === '}' && braces === 0)) {
      if (token === '`' && braces !== undefined) open.push(braces);
      const isBroken = read(TEMPLATE)[1] !== '`';
      if (isBroken) open.push(0);
      before = isBroken ? '(' : '`';
      continue;
    }
    const change = token === '{' ? 1 : token === '}' ? -1 : 0;
    if (braces !== undefined) open.push(braces + change);
    before = token;
  }
  return found;
}
