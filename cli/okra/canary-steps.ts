import { InvalidArgumentError } from 'commander';

/** A step as `--canary-steps` says it. */
type Step =
  | { readonly setWeight: number }
  | { readonly pause: { readonly duration?: string } }
  | {
      readonly analysis: {
        readonly templates: readonly [{ readonly templateName: string }];
        readonly args?: readonly { readonly name: string; readonly value: string }[];
      };
    };

/** Reads `weight=20,pause=5s,analysis=TEMPLATE:arg=value:…`; whether the values make sense says the schema of Cells. */
export const canarySteps = (text: string, before: readonly Step[] = []): readonly Step[] => [
  ...before,
  ...text.split(',').map(stepOf),
];

function stepOf(text: string): Step {
  const at = text.indexOf('=');
  const [word, value] = at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (word === 'weight' && /^\d{1,3}$/.test(value)) return { setWeight: Number(value) };
  // Without a time someone has to resume.
  if (word === 'pause') return { pause: value === '' ? {} : { duration: value } };
  if (word === 'analysis' && value !== '') return analysisOf(value, text);
  throw new InvalidArgumentError(
    `Expected weight=NUMBER, pause=DURATION or analysis=TEMPLATE:arg=value:…, got ${JSON.stringify(text)}.`,
  );
}

function analysisOf(value: string, text: string): Step {
  const [templateName = '', ...given] = value.split(':');
  const args: { name: string; value: string }[] = [];
  for (const part of given) {
    const at = part.indexOf('=');
    const last = args.at(-1);
    if (at > 0) args.push({ name: part.slice(0, at), value: part.slice(at + 1) });
    // A colon in a value, of an address for example, separates nothing.
    else if (last !== undefined) last.value += `:${part}`;
    else throw new InvalidArgumentError(`Expected TEMPLATE:arg=value:…, got ${JSON.stringify(text)}.`);
  }
  return { analysis: { templates: [{ templateName }], ...(args.length === 0 ? {} : { args }) } };
}
