import { html, nothing, svg } from '/lit-html/lit-html.js';
import { awayOf, durationOf, signs } from './words.mjs';

/** @typedef {import('../../tones.ts').Tone} Tone */
/** @typedef {import('../rows.ts').CellRow['weights'][number]} GroupWeight */
/** @typedef {import('../view.ts').TableView} TableView */
/** @typedef {import('../view.ts').TableCell} TableCell */

/**
 * A word with its sign and colour.
 * @param {Tone} tone
 * @param {string} text
 */
export const badge = (tone, text) =>
  html`<span class="badge ${tone.toLowerCase()}"
    ><span aria-hidden="true">${signs[tone]}</span> ${text}</span
  >`;

/**
 * A time, and how far away it is.
 * @param {string | undefined} time
 */
export const away = (time) =>
  time === undefined
    ? nothing
    : html`<time datetime=${time} title=${new Date(time).toLocaleString()}>${awayOf(time)}</time>`;

/**
 * For how long something has been so.
 * @param {string | undefined} since
 */
export const lasting = (since) =>
  since === undefined
    ? nothing
    : html`<span class="since">
        for
        <time datetime=${since} title=${new Date(since).toLocaleString()}
          >${durationOf(Date.now() - Date.parse(since))}</time
        >
      </span>`;

/**
 * The version that serves, and the one that is rolled out.
 * @param {import('../rows.ts').CellRow} row
 */
export const versionsView = ({ stable, canary }) =>
  html`<span class="versions"
    >${stable ?? '–'}${canary === undefined ? nothing : html` <span aria-label="to">→</span> <b>${canary}</b>`}</span
  >`;

/**
 * A part of the page with its heading; nothing when there is nothing in it.
 * @param {string} title
 * @param {boolean} isThere
 * @param {unknown} content
 */
export const section = (title, isThere, content) =>
  isThere
    ? html`<section aria-label=${title}>
        <h2>${title}</h2>
        ${content}
      </section>`
    : nothing;

/**
 * A table, which can be scrolled by itself where there is no room.
 * @param {string} caption
 * @param {readonly string[]} headings
 * @param {readonly (readonly unknown[])[]} rows
 */
export const table = (caption, headings, rows) =>
  html` <div class="wide" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${others.map((cell, at) => html`<td data-label=${headings[at + 1] ?? ''}>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

/**
 * A table as the server tells it, in a section of its own.
 * @param {TableView} view
 */
export const tableSection = ({ title, text = '', headings, rows }) =>
  section(
    title,
    text !== '' || rows.length > 0,
    html`${text === '' ? nothing : html`<p>${text}</p>`}
    ${
      rows.length === 0
        ? nothing
        : table(
            title,
            headings,
            rows.map((row) => row.map((cell) => cellOf(cell))),
          )
    }`,
  );

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/**
 * @param {TableCell} cell
 * @returns {unknown}
 */
function cellOf(cell) {
  if (cell === '' || cell === '-') return '–';
  if (typeof cell === 'string') return TIME.test(cell) ? away(cell) : cell;
  if ('list' in cell)
    return html`<ul class="plain">
      ${cell.list.map((one) => html`<li>${cellOf(one)}</li>`)}
    </ul>`;
  const text = cell.tone === undefined ? cell.text : badge(cell.tone, cell.text);
  if (cell.href === undefined) return text;
  return cell.href.startsWith('#')
    ? html`<a href=${cell.href}>${text}</a>`
    : html`<a href=${cell.href} rel="noreferrer" target="_blank">${text}</a>`;
}

/**
 * The weights of versions, in the order in which they are found.
 * @param {readonly GroupWeight[]} weights
 * @param {'asked' | 'served'} which
 */
export function byVersion(weights, which) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { version, name, [which]: weight } of weights)
    if (weight !== undefined) sums.set(version || name, (sums.get(version || name) ?? 0) + weight);
  return [...sums].map(([version, weight]) => ({ version, weight }));
}

/**
 * What serves, as a bar; what is asked for stands below it where it differs.
 * @param {readonly GroupWeight[]} weights
 */
export function bar(weights) {
  const served = byVersion(weights, 'served');
  const asked = byVersion(weights, 'asked');
  if (served.length === 0) return html`<span class="calm">no traffic yet</span>`;
  const differs =
    asked.length > 0 && weights.some((one) => one.asked !== undefined && one.asked !== (one.served ?? 0));
  const text = served.map(({ version, weight }) => `${version} ${weight}`).join(', ');
  const wanted = asked.map(({ version, weight }) => `${version} ${weight}`).join(', ');
  const label = differs ? `Observed: ${text}. Desired: ${wanted}.` : `Observed: ${text}.`;
  const versions = [...new Set([...served, ...asked].map(({ version }) => version))];
  return html` <svg
      class=${differs ? 'bar differs' : 'bar'}
      viewBox="0 0 100 ${differs ? 16 : 10}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${label}
    >
      ${parts(served, versions, 0, 10)} ${differs ? parts(asked, versions, 12, 4) : nothing}
    </svg>
    <span class="weights" aria-hidden="true">
      ${versions.map((version, at) => {
        const weight = weightIn(served, version);
        const next = weightIn(asked, version);
        return html`<span class="key s${at % 5}">
          ${version} <b>${weight}</b>${differs && next !== weight ? html` → ${next}` : nothing}
        </span> `;
      })}
    </span>`;
}

/**
 * @param {readonly { version: string, weight: number }[]} weights
 * @param {string} of
 */
const weightIn = (weights, of) => weights.find(({ version }) => version === of)?.weight ?? 0;

/**
 * @param {readonly { version: string, weight: number }[]} weights
 * @param {readonly string[]} versions
 * @param {number} y
 * @param {number} height
 */
function parts(weights, versions, y, height) {
  const total = Math.max(
    1,
    weights.reduce((sum, { weight }) => sum + weight, 0),
  );
  let x = 0;
  return weights.map(({ version, weight }) => {
    const width = (weight / total) * 100;
    const from = x;
    x += width;
    return svg`<rect class="s${versions.indexOf(version) % 5}" x=${from} y=${y} width=${width} height=${height}></rect>`;
  });
}
