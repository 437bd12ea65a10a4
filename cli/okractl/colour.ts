import { plain } from '../terminal-text.ts';
import type { Colouring, Shell } from './shell.ts';

/** When phases are shown in colour: in a terminal that has colours and no NO_COLOR, always, or never. */
export const colourings: readonly Colouring[] = ['auto', 'always', 'never'];

/** Whether a terminal is to have colours (https://no-color.org). */
export const hasColours = (
  environment: Readonly<Record<string, string | undefined>>,
  { isTTY = false }: { readonly isTTY?: boolean },
): boolean => isTTY && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';

// Select Graphic Rendition (ECMA-48): the colours that each theme of a terminal has.
const GREEN = 32;
const YELLOW = 33;
const RED = 31;
const CYAN = 36;

const colours: Readonly<Record<string, number>> = {
  Completed: GREEN,
  Progressing: CYAN,
  Paused: YELLOW,
  Waiting: YELLOW,
  Pending: YELLOW,
  Failed: RED,
  RevertBlocked: RED,
  Reverted: RED,
};

const PHASE = new RegExp(`(?<=^|\\s)(${Object.keys(colours).join('|')})(?=\\s|$)`);

/** Colours the first phase of each line. */
export const tint = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(PHASE, (phase) => `\u001B[${colours[phase] ?? 0}m${phase}\u001B[0m`))
    .join('\n');

/** Prints how things stand, with phases in colour where that is asked for, or fits. */
export const show = (
  { write, print, isColoured }: Pick<Shell, 'write' | 'print' | 'isColoured'>,
  text: string,
  when?: Colouring,
): void => (isColoured(when) ? write(`${tint(plain(text))}\n`) : print(text));
