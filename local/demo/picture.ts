// Draws docs/images/demo.svg, each line when the demo printed it: npm run demo | node local/demo/picture.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const COLUMNS = 132;
const CHARACTER = { width: 7.25, height: 17 };

/** Where the columns of the demo's table begin. */
const tabs = [0, 11, 24, 30, 77];

const colors: Readonly<Record<string, string>> = {
  Completed: '#7ee787',
  Progressing: '#79c0ff',
  Paused: '#e3b341',
  Reverting: '#ff7b72',
  Reverted: '#ff7b72',
  Successful: '#7ee787',
  Failed: '#ff7b72',
};
const colored = new RegExp(`^(.*: )?(${Object.keys(colors).join('|')})$`);

/** Has columns begin where they do in a terminal, also in a font whose characters differ in width. */
function span(part: string, column: number): string {
  const indent = part.length - part.trimStart().length;
  const escaped = part.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const fill = colors[colored.exec(escaped)?.[2] ?? ''];
  const x = (16 + (column + indent) * CHARACTER.width).toFixed(0);
  return escaped && `<tspan x="${x}"${fill === undefined ? '' : ` fill="${fill}"`}>${escaped}</tspan>`;
}

/** The picture of what a demo printed, from its first chapter on. */
export function draw(printed: string): string {
  const all = printed.split('\n');
  const lines = ['$ npm run demo', '', ...all.slice(all.findIndex((line) => line.includes(' is installed')))];
  const [width, height] = [COLUMNS * CHARACTER.width + 32, lines.length * CHARACTER.height + 20];
  let seconds = '0';
  const rows = lines.map((line, index) => {
    seconds = /^ +(\d+\.\d)/.exec(line)?.[1] ?? seconds;
    const shown = line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line;
    const isRow = /^ +(\d|seconds)/.test(line);
    const parts = isRow
      ? tabs.map((from, at) => span(shown.slice(from, tabs[at + 1]), from))
      : [span(shown, 0)];
    const weight = /^\S/.test(line) ? ' font-weight="bold"' : '';
    return `<text y="${index * CHARACTER.height + 26}"${weight} style="animation-delay:${seconds}s">${parts.join('')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" fill="#e6edf3">`,
    '<style>text { animation: appear 0.1s both } @keyframes appear { from { opacity: 0 } }</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...rows.filter((row) => row.includes('<tspan')),
    '</svg>\n',
  ].join('\n');
}

writeFileSync(
  join(import.meta.dirname, '../../docs/images/demo.svg'),
  draw((await text(process.stdin)).trimEnd()),
);
