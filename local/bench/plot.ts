/** Points that belong together. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What is drawn. */
export interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
  /** A weight stays until the next one. */
  readonly isStepped?: boolean;
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [720, 320, 56, 32, 16, 44];
const colours = ['#1b6ac9', '#c2410c', '#15803d', '#7e22ce', '#b45309', '#0f766e'];

/** Draws lines over two axes as an SVG image. */
export function draw({ title, x, y, series, isStepped = false }: Plot): string {
  const all = series.flatMap(({ points }) => points);
  const right = Math.max(1e-9, ...all.map(([at]) => at));
  const top = Math.max(1e-9, ...all.map(([, value]) => value));
  const across = (at: number): number => LEFT + (at / right) * (WIDTH - LEFT - RIGHT);
  const down = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const lines = series.map(({ name, points }, index) => {
    const colour = colours[index % colours.length];
    const path = points
      .map(([at, value], place) => {
        const from = points[place - 1];
        const corner =
          isStepped && from !== undefined ? `H${across(at).toFixed(1)}V${down(value).toFixed(1)}` : undefined;
        return corner ?? `${place === 0 ? 'M' : 'L'}${across(at).toFixed(1)} ${down(value).toFixed(1)}`;
      })
      .join('');
    const label = `<text x="${LEFT + 8}" y="${TOP + 14 + 16 * index}" fill="${colour}">${escaped(name)}</text>`;
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>${label}`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${WIDTH / 2}" y="18" text-anchor="middle" font-size="14">${escaped(title)}</text>`,
    `<path d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" fill="none" stroke="#666"/>`,
    ...ticks(top).map((value) => tick(LEFT - 6, down(value) + 4, 'end', value)),
    ...ticks(right).map((at) => tick(across(at), HEIGHT - BOTTOM + 16, 'middle', at)),
    `<text x="${WIDTH / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escaped(x)}</text>`,
    `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">${escaped(y)}</text>`,
    ...lines,
    '</svg>',
  ].join('\n')}\n`;
}

/** Four round numbers or so up to a value. */
function ticks(most: number): readonly number[] {
  const raw = most / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw) ?? raw;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
}

const tick = (x: number, y: number, anchor: string, value: number): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${Number(value.toPrecision(3))}</text>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
