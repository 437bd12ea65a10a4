/** A formula that cannot be read. */
export class FormulaError extends Error {
  override readonly name = 'FormulaError';
}

/** Computes a formula over numbers by name; null as soon as one of them is. */
export function compute(formula: string, values: ReadonlyMap<string, number | null>): number | null {
  const tokens = formula.match(/[a-z][a-z0-9_]*|\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const next = (): string | undefined => tokens[at];

  function atom(): number | null {
    const token = tokens[at];
    at += 1;
    if (token === undefined) throw new FormulaError('unexpected end of formula');
    if (token === '(') {
      const inner = sum();
      if (tokens[at] !== ')') throw new FormulaError('missing )');
      at += 1;
      return inner;
    }
    if (token === '-') return negated(atom());
    if (/^\d/.test(token)) return Number(token);
    const value = values.get(token);
    if (value === undefined) throw new FormulaError(`unknown variable ${token}`);
    return value;
  }

  function product(): number | null {
    let value = atom();
    while (next() === '*' || next() === '/') {
      const isProduct = next() === '*';
      at += 1;
      value = isProduct ? both(value, atom(), (a, b) => a * b) : quotient(value, atom());
    }
    return value;
  }

  function sum(): number | null {
    let value = product();
    while (next() === '+' || next() === '-') {
      const sign = next() === '+' ? 1 : -1;
      at += 1;
      value = both(value, product(), (a, b) => a + sign * b);
    }
    return value;
  }

  const result = sum();
  if (at < tokens.length) throw new FormulaError(`unexpected ${tokens[at] ?? ''}`);
  return result;
}

const negated = (value: number | null): number | null => (value === null ? null : -value);

const both = (a: number | null, b: number | null, of: (a: number, b: number) => number): number | null =>
  a === null || b === null ? null : of(a, b);

// Datadog has no value for a division by zero.
const quotient = (a: number | null, b: number | null): number | null =>
  b === 0 ? null : both(a, b, (x, y) => x / y);
