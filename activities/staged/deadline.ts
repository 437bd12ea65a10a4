import { createContext, Script } from 'node:vm';
import type { Verdict } from '../../domain/staged/cel/expression.ts';

/** How long one evaluation of an expression may take. */
const DEADLINE_MS = 250;

// V8 interrupts whatever a script calls, in each loop and in regular expressions; the expression sees nothing of the context.
const script = new Script('run()');
const sandbox: { run: () => Verdict } = { run: () => LATE };
const context = createContext(sandbox);

const LATE: Verdict = {
  is: 'Error',
  message: `Expected the expression to take at most ${DEADLINE_MS} ms, got no answer in time. Nest fewer loops, or have fewer rows reported.`,
};

/** Evaluates an expression within a deadline; once it was missed, nothing more is evaluated. */
export function withDeadline<Input>(test: (input: Input) => Verdict): (input: Input) => Verdict {
  let isLate = false;
  return (input) => {
    if (isLate) return LATE;
    sandbox.run = () => test(input);
    try {
      return script.runInContext(context, { timeout: DEADLINE_MS }) as Verdict;
    } catch {
      isLate = true;
      return LATE;
    }
  };
}
