import { html, nothing, svg } from '/lit-html/lit-html.js';
import { table } from './parts.mjs';
import { clockOf } from './words.mjs';

/** @typedef {import('../chart.ts').ChartView} ChartView */
/** @typedef {import('../chart.ts').Point} Point */

const HEIGHT = 220;
const LEFT = 34;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 24;

/**
 * The weights of versions over time: what is asked for broken, what was read back drawn through.
 * @param {ChartView} chart
 * @param {{ width: number }} on
 */
export function chartView({ from, to, total, series, note }, { width }) {
  const until = Math.max(to ?? Date.now(), from + 1000);
  const x = (/** @type {number} */ at) =>
    LEFT + ((Math.min(Math.max(at, from), until) - from) / (until - from)) * (width - LEFT - RIGHT);
  const y = (/** @type {number} */ weight) => TOP + (1 - weight / total) * (HEIGHT - TOP - BOTTOM);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * total));
  const times = [0, 0.5, 1].map((part) => from + part * (until - from));
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
      height=${HEIGHT}
      viewBox="0 0 ${width} ${HEIGHT}"
      role="img"
      aria-label="Weights over time. The table below says the same in words."
    >
      ${ticks.map(
        (weight) => svg`
        <path class="grid" d="M${LEFT} ${y(weight)}H${width - RIGHT}"></path>
        <text class="tick" x=${LEFT - 6} y=${y(weight) + 4} text-anchor="end">${weight}</text>`,
      )}
      ${times.map((at, index) => svg`<text class="tick" x=${x(at)} y=${HEIGHT - 6} text-anchor=${anchors[index]}>${clockOf(at)}</text>`)}
      ${series.map(
        ({ served, asked }, at) => svg`
        <path class="line s${at % 5}" d=${pathOf(served, x, y, until)}></path>
        <path class="line asked s${at % 5}" d=${pathOf(asked, x, y, until)}></path>
        ${served.map((point) => svg`<circle class="dot s${at % 5}" cx=${x(point.at)} cy=${y(point.weight)} r="3"></circle>`)}`,
      )}
    </svg>
    <details>
      <summary>Weights as a table</summary>
      ${changes(series)}
    </details>`;
}

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

/** @param {ChartView['series']} series */
function changes(series) {
  const all = series.flatMap(({ version, asked, served }) => [
    ...asked.map((point) => ({ ...point, version, what: 'desired' })),
    ...served.map((point) => ({ ...point, version, what: 'observed' })),
  ]);
  const rows = all.toSorted((a, b) => b.at - a.at);
  return table(
    'Weights over time',
    ['Time', 'Version', 'Weight', 'Which'],
    rows.map(({ at, version, weight, what }) => [clockOf(at), version, weight, what]),
  );
}
