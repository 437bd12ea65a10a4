import { plain } from '../terminal-text.ts';
import { type Tone, toneOfPhase, tones } from '../tones.ts';
import type { Colouring, Shell } from './shell.ts';

/** Whether a terminal is to have colours (https://no-color.org). */
export const hasColours = (
  environment: Readonly<Record<string, string | undefined>>,
  { isTTY = false }: { readonly isTTY?: boolean },
): boolean => isTTY && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';

// Select Graphic Rendition (ECMA-48): the colours that each theme of a terminal has.
const colours: Readonly<Record<Tone, number>> = { Good: 32, Moving: 36, Held: 33, Bad: 31, Idle: 33 };

const PHASE = new RegExp(`(?<=^|\\s)(${Object.values(tones).flat().join('|')})(?=\\s|$)`);

/** Colours the first phase of each line. */
export const tint = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(PHASE, (phase) => `\u001B[${colours[toneOfPhase(phase)]}m${phase}\u001B[0m`))
    .join('\n');

/** Prints how things stand, with phases in colour where that is asked for, or fits. */
export const show = (
  { write, print, isColoured }: Pick<Shell, 'write' | 'print' | 'isColoured'>,
  text: string,
  when?: Colouring,
): void => (isColoured(when) ? write(`${tint(plain(text))}\n`) : print(text));
