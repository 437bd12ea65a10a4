import { html, nothing, svg } from '/lit-html/lit-html.js';
import { table } from './parts.mjs';
import { clockOf, signs } from './words.mjs';

/** @typedef {import('../chart.ts').ChartView} ChartView */
/** @typedef {import('../chart.ts').Point} Point */

/** The room for the weights, and for each track below them. */
const HEIGHT = 196;
const TRACK = 30;
const LEFT = 34;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 24;
/** How far what is desired stands beside what is observed, which it would cover. */
const BESIDE = 3;

const order = ['Steps', 'Gates', 'Requests', 'Analyses'];

/**
 * The weights of versions over time, what is desired broken and what is observed drawn through, and below them what happened.
 * @param {ChartView} chart
 * @param {{ width: number }} on
 */
export function chartView({ from, to, total, series, marks, note }, { width }) {
  const until = Math.max(to ?? Date.now(), from + 1000);
  const x = (/** @type {number} */ at) =>
    LEFT + ((Math.min(Math.max(at, from), until) - from) / (until - from)) * (width - LEFT - RIGHT);
  const y = (/** @type {number} */ weight) => TOP + (1 - weight / total) * (HEIGHT - TOP);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * total));
  const times = [0, 0.5, 1].map((part) => from + part * (until - from));
  const tracks = [...Map.groupBy(marks, ({ track }) => track)].toSorted(
    ([a], [b]) => order.indexOf(a) - order.indexOf(b),
  );
  const height = HEIGHT + 8 + tracks.length * TRACK + BOTTOM;
  /** @type {readonly string[]} */
  const anchors = ['start', 'middle', 'end'];
  return html` ${note === undefined ? nothing : html`<p class="note">${note}</p>`}
    <ul class="legend plain">
      ${series.map(({ version, served }, at) => html`<li class="key s${at % 5}">${version} <b>${served.at(-1)?.weight ?? '–'}</b></li>`)}
      <li>
        <svg class="sample" viewBox="0 0 30 8" aria-hidden="true"><path class="line" d="M0 4H30"></path></svg>
        observed
      </li>
      <li>
        <svg class="sample" viewBox="0 0 30 8" aria-hidden="true">
          <path class="line asked" d="M0 4H30"></path>
        </svg>
        desired
      </li>
    </ul>
    <svg
      class="chart"
      width=${width}
      height=${height}
      viewBox="0 0 ${width} ${height}"
      role="img"
      aria-label="Weights over time, and what happened meanwhile. The table below says the same in words."
    >
      ${ticks.map(
        (weight) => svg`
        <path class="grid" d="M${LEFT} ${y(weight)}H${width - RIGHT}"></path>
        <text class="tick" x=${LEFT - 6} y=${y(weight) + 4} text-anchor="end">${weight}</text>`,
      )}
      ${times.map((at, index) => svg`<text class="tick" x=${x(at)} y=${height - 6} text-anchor=${anchors[index]}>${clockOf(at)}</text>`)}
      ${series.map(
        ({ served, asked }, at) => svg`
        <path class="line s${at % 5}" d=${pathOf(served, x, y, until)}></path>
        <path class="line asked s${at % 5}" transform="translate(0 ${BESIDE})" d=${pathOf(asked, x, y, until)}></path>
        ${served.map((point) => svg`<circle class="dot s${at % 5}" cx=${x(point.at)} cy=${y(point.weight)} r="3"></circle>`)}`,
      )}
      ${tracks.map(([title, all], at) => trackView(title, all, { top: HEIGHT + 8 + at * TRACK, x, until, width }))}
    </svg>
    <details>
      <summary>Timeline as a table</summary>
      ${changes(series, marks)}
    </details>`;
}

/**
 * What happened of one kind, each with its sign where it began, and a bar as long as it lasted.
 * @param {string} title
 * @param {ChartView['marks']} marks
 * @param {{ top: number, x: (at: number) => number, until: number, width: number }} on
 */
const trackView = (title, marks, { top, x, until, width }) => svg`
  <path class="grid" d="M${LEFT} ${top}H${width - RIGHT}"></path>
  <text class="tick" x=${LEFT} y=${top + 12}>${title}</text>
  ${marks.map(
    ({ at, to = until, text, tone }) => svg`<g class="mark ${tone.toLowerCase()}">
      <title>${clockOf(at)} ${text}</title>
      <rect x=${x(at)} y=${top + 16} width=${Math.max(0, x(to) - x(at) - 1)} height="12" rx="3"></rect>
      <path transform="translate(${Math.min(x(at), width - RIGHT - 12)} ${top + 16})" d=${signs[tone]}></path>
      ${text.length * 7 < x(to) - x(at) - 16 ? svg`<text class="tick" x=${x(at) + 15} y=${top + 26}>${text}</text>` : nothing}
    </g>`,
  )}`;

/**
 * A line that stays until the next point.
 * @param {readonly Point[]} points
 * @param {(at: number) => number} x
 * @param {(weight: number) => number} y
 * @param {number} until
 */
function pathOf(points, x, y, until) {
  const [first, ...others] = points;
  if (first === undefined) return '';
  const steps = others.map(({ at, weight }) => `H${x(at)}V${y(weight)}`).join('');
  return `M${x(first.at)} ${y(first.weight)}${steps}H${x(until)}`;
}

/**
 * @param {ChartView['series']} series
 * @param {ChartView['marks']} marks
 */
function changes(series, marks) {
  const all = [
    ...series.flatMap(({ version, asked, served }) => [
      ...asked.map(({ at, weight }) => ({ at, what: `${version} desired`, text: String(weight) })),
      ...served.map(({ at, weight }) => ({ at, what: `${version} observed`, text: String(weight) })),
    ]),
    ...marks.map(({ at, track, text }) => ({ at, what: track, text })),
  ];
  return table(
    'Timeline',
    ['Time', 'Of', 'What'],
    all.toSorted((a, b) => b.at - a.at).map(({ at, what, text }) => [clockOf(at), what, text]),
  );
}
