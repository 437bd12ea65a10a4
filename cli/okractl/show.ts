import { cellLine, policyLine, timed } from './change-line.ts';
import type { Screen, Shell } from './shell.ts';
import { wrapped } from './table.ts';
import { inOneLine, plain } from '../terminal-text.ts';
import { draw } from './tree.ts';
import { nothingWatched, type Watched } from './watched.ts';

/** Shows what is watched. */
export interface Show {
  readonly update: (watched: Watched) => void;
  /** Leaves the terminal as it was, with what was shown last. */
  readonly end: () => void;
}

/** Redraws in a terminal, and writes a line for each change elsewhere. */
export const showIn = (shell: Shell): Show =>
  shell.screen === undefined ? inLines(shell) : onScreen(shell, shell.screen);

const OTHER_SCREEN = '\u001B[?1049h\u001B[?25l';
const FIRST_SCREEN = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';

/** How often times are written again, in milliseconds; nobody is asked anything for that. */
const TICK = 1_000;

function onScreen({ write, print, now }: Shell, { columns, rows }: Screen): Show {
  let last: Watched = nothingWatched;
  const frame = (): readonly string[] => draw(last, now());
  const redraw = (): void => {
    const lines = frame().flatMap((line) => wrapped(line, columns()));
    const fits =
      lines.length < rows()
        ? lines
        : [...lines.slice(0, rows() - 2), `… ${lines.length - rows() + 2} more lines`];
    write(HOME + fits.map((line) => plain(line) + REST_OF_LINE).join('\n') + REST_OF_SCREEN);
  };
  write(OTHER_SCREEN);
  const ticking = setInterval(redraw, TICK);
  return {
    update: (watched) => {
      last = watched;
      redraw();
    },
    end: () => {
      clearInterval(ticking);
      write(FIRST_SCREEN);
      print(frame().join('\n'));
    },
  };
}

function inLines({ print, warn, now }: Shell): Show {
  let before = new Map<string, string>();
  let troubles = '';
  return {
    update: (watched) => {
      const after = linesOf(watched);
      for (const [key, line] of after) if (before.get(key) !== line) print(timed(inOneLine(line), now()));
      for (const key of before.keys()) if (!after.has(key)) print(timed(`${key}  is gone`, now()));
      before = after;
      const told = [...watched.troubles]
        .map(([what, why]) => inOneLine(`${what} may be old: ${why}`))
        .join('\n');
      if (told !== troubles && told !== '') warn(told);
      troubles = told;
    },
    end: () => undefined,
  };
}

const linesOf = ({ cells, policies, freezes }: Watched): Map<string, string> =>
  new Map([
    ...[...freezes].map(([key, { spec }]): [string, string] => [
      `freeze/${key}`,
      `freeze/${key}  of ${spec.by}: ${spec.reason}`,
    ]),
    ...[...cells].map(([key, cell]): [string, string] => [key, cellLine(key, cell)]),
    ...[...policies].map(([key, policy]): [string, string] => [`sbp/${key}`, policyLine(policy)]),
  ]);
